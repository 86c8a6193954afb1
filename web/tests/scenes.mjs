// The scenes of the repository, for the tests.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const root = fileURLToPath(new URL('../../', import.meta.url));
export const program = process.env.SINEW ?? `${root}build/release/sinew`;

const folder = `${root}scenes/`;
export const names = readdirSync(folder).filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -5)).sort();
export const files = Object.fromEntries(readdirSync(`${folder}meshes`).map((name) => [`meshes/${name}`, readFileSync(`${folder}meshes/${name}`)]));
export const text = (name) => readFileSync(`${folder}${name}.json`, 'utf8');

/** The hash of a scene after so many frames: what `sinew run` says, if it is built, otherwise what it said when the page's hashes
 *  were written down; null if neither is there. */
export async function nativeHash(name, frames) {
  if (existsSync(program)) {
    const { stdout } = await promisify(execFile)(program, ['run', `${folder}${name}.json`, '--frames', String(frames), '--json'], { maxBuffer: 1 << 28 });
    return JSON.parse(stdout.trim().split('\n').pop()).state_hash;
  }
  const goldens = `${root}web/playground/data/goldens.json`;
  return existsSync(goldens) ? JSON.parse(readFileSync(goldens, 'utf8'))[name]?.[frames] ?? null : null;
}

/** The hash of a scene in the package, after the warm-up and so many frames. */
export function webHash(sinew, name, frames) {
  const scene = sinew.scene(text(name), { name: `${name}.json`, files });
  try {
    for (let i = 0; i < scene.warmUp + frames; ++i) scene.frame();
    return scene.world.hash();
  } finally {
    scene.destroy();
  }
}
