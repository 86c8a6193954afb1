// Sinew in WebAssembly. sinew.d.ts says what everything means; the files here carry it out. web/build.mjs makes ../sinew.js, one file, of them.
export { load, work } from './load.js';
export { SinewError } from './values.js';
