// Puts the packages of a lock file into node_modules, as 'npm ci' does, where there is no npm: Debian's is 335 packages, and takes longer
// to install than everything that it would fetch. Each is checked against the hash of the lock file; no script of a package is run.
//
//   node web/packages.mjs FOLDER
//
// The registry is that of npm: npm_config_registry, else 'registry=' in ~/.npmrc, else registry.npmjs.org.
import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';

const folder = process.argv[2];

function registry() {
  const settings = join(homedir(), '.npmrc');
  const own = existsSync(settings) && /^registry *= *(\S+)/m.exec(readFileSync(settings, 'utf8'))?.[1];
  return (process.env.npm_config_registry || own || 'https://registry.npmjs.org').replace(/\/$/, '');
}

const isFor = (allowed, one) => !allowed || allowed.includes(one);

async function unpack(path, { version, integrity }) {
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const address = `${registry()}/${name}/-/${basename(name)}-${version}.tgz`;
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: ${answer.status} ${answer.statusText}`);
  const archive = Buffer.from(await answer.arrayBuffer());
  const [kind, hash] = integrity.split(/-(.*)/);
  if (createHash(kind).update(archive).digest('base64') !== hash) throw new Error(`${address} is not what package-lock.json says`);
  const into = join(folder, path);
  mkdirSync(into, { recursive: true });
  execFileSync('tar', ['-xzf', '-', '-C', into, '--strip-components=1', '--no-same-owner'], { input: archive });
}

try {
  const { lockfileVersion, packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  if (lockfileVersion !== 3) throw new Error(`version ${lockfileVersion} of package-lock.json is not known here`);
  rmSync(join(folder, 'node_modules'), { recursive: true, force: true });
  const wanted = Object.entries(packages).filter(([path, one]) => path && isFor(one.os, process.platform) && isFor(one.cpu, process.arch));
  await Promise.all(wanted.map(([path, one]) => unpack(path, one)));
} catch (error) {
  console.error(`packages: ${error.cause?.message ?? error.message}`);
  process.exit(1);
}
