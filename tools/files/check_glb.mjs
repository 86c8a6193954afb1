// Judges a folder that `sinew run --format glb,ply` wrote: Khronos' validator has nothing to say about scene.glb, and three.js, which
// plays it, has every vertex in every frame where the .ply of that frame has it.
//
//     node tools/files/check_glb.mjs FOLDER
import fs from 'node:fs';
import path from 'node:path';
import validator from 'gltf-validator';
import * as THREE from 'three';

globalThis.self = globalThis;
const {GLTFLoader} = await import('three/addons/loaders/GLTFLoader.js');

const fail = (text) => { console.error(`FAILED: ${text}`); process.exit(1); };
const folder = process.argv[2];
const bytes = fs.readFileSync(path.join(folder, 'scene.glb'));

const report = await validator.validateBytes(new Uint8Array(bytes), {maxIssues: 100});
if (report.issues.numErrors || report.issues.numWarnings)
    fail(`gltf-validator: ${JSON.stringify(report.issues.messages.slice(0, 5))}`);

// Vertices and triangles of a .ply that we wrote.
function readPly(file) {
    const data = fs.readFileSync(file);
    const end = data.indexOf('end_header\n') + 'end_header\n'.length;
    const head = data.subarray(0, end).toString().split('\n');
    const count = (name) => Number((head.find((line) => line.startsWith(`element ${name} `)) ?? 'element x 0').split(' ')[2]);
    const isDouble = head.includes('property double x');
    const numbers = head.includes(`property ${isDouble ? 'double' : 'float'} vx`) ? 6 : 3;
    let at = end;
    const places = [], triangles = [];
    for (let i = 0; i < count('vertex'); ++i) {
        for (let k = 0; k < 3; ++k)
            places.push(isDouble ? data.readDoubleLE(at + 8 * k) : data.readFloatLE(at + 4 * k));
        at += numbers * (isDouble ? 8 : 4);
    }
    for (let i = 0; i < count('face'); ++i, at += 13)
        triangles.push(data.readInt32LE(at + 1), data.readInt32LE(at + 5), data.readInt32LE(at + 9));
    return {places, triangles};
}

const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
const gltf = await new Promise((good, bad) => new GLTFLoader().parse(buffer, '', good, bad));
const json = gltf.parser.json;
const mixer = new THREE.AnimationMixer(gltf.scene);
for (const clip of gltf.animations) {
    const action = mixer.clipAction(clip);
    action.setLoop(THREE.LoopOnce);
    action.clampWhenFinished = true;
    action.play();
}

// The objects of three.js by the number of their node.
const nodes = [];
gltf.scene.traverse((object) => {
    const found = gltf.parser.associations.get(object);
    if (found?.nodes !== undefined && nodes[found.nodes] === undefined) nodes[found.nodes] = object;
});

// Vertices of a node as they are drawn, in the world; of meshes with several primitives those of the first, which are those of all.
const at = new THREE.Vector3();
function places(object, to) {
    let mesh = object;
    while (mesh && !mesh.geometry) mesh = mesh.children[0];
    if (!mesh) return;
    for (let i = 0; i < mesh.geometry.attributes.position.count; ++i) {
        THREE.Mesh.prototype.getVertexPosition.call(mesh, i, at).applyMatrix4(mesh.matrixWorld);
        to.push(at.x, at.y, at.z);
    }
}

// Nodes that show what the files NAME_*.ply show; a group has its bodies below it.
const safe = (name) => [...name].map((c) => (/[A-Za-z0-9_-]/.test(c) ? c : '_')).join('');
function nodesOf(name) {
    const found = json.nodes.flatMap((node, i) => (safe(node.name) === name ? [i] : []));
    if (found.length === 1 && json.nodes[found[0]].children) return json.nodes[found[0]].children;
    return found;
}

// three.js clamps when a clip has ended: the times of the tracks, in float, are hit exactly.
const names = JSON.parse(fs.readFileSync(path.join(folder, 'sinew-run.json'))).names;
const frames = fs.readdirSync(folder).filter((f) => f.startsWith(`${names[0]}_`) && f.endsWith('.ply')).length;
const times = new Set(gltf.animations.flatMap((clip) => clip.tracks.flatMap((track) => [...track.times])));
const ordered = [...times].sort((a, b) => a - b);
if (ordered.length !== frames) fail(`${frames} frames, but ${ordered.length} times`);
let compared = 0, worst = 0, meshes = 0;
for (let frame = 0; frame < frames; ++frame) {
    mixer.setTime(ordered[frame]);
    gltf.scene.updateMatrixWorld(true);
    for (const name of names) {
        const ply = readPly(path.join(folder, `${name}_${String(frame).padStart(4, '0')}.ply`));
        const seen = [];
        const shown = nodesOf(name).filter((i) => nodes[i].scale.x !== 0);
        for (const i of shown) places(nodes[i], seen);
        if (seen.length !== ply.places.length) fail(`${name}, frame ${frame}: ${seen.length / 3} vertices, the .ply has ${ply.places.length / 3}`);
        const size = Math.max(1, ...ply.places.slice(0, 3000).map(Math.abs));
        for (let i = 0; i < seen.length; ++i) {
            const off = Math.abs(seen[i] - ply.places[i]) / size;
            worst = Math.max(worst, off);
            if (!(off < 1e-6)) fail(`${name}, frame ${frame}, vertex ${i / 3 | 0}: ${seen[i]}, the .ply has ${ply.places[i]}`);
        }
        // of something soft, whose triangles may change, these too
        const index = shown.length === 1 && nodes[shown[0]].geometry?.index?.array;
        if (index && ply.triangles.length) {
            if (index.length !== ply.triangles.length || ply.triangles.some((v, i) => v !== index[i])) fail(`${name}, frame ${frame}: other triangles`);
            ++meshes;
        }
        compared += seen.length / 3;
    }
}
console.log(`scene.glb: gltf-validator finds nothing; three.js has ${compared} vertices of ${frames} frames within ${worst.toExponential(1)} of their size, and ${meshes} meshes of the same triangles`);
