// What of three.js the page uses, for esbuild: shaders without what no material of the page turns on, and without XR. It is a fifth of three.js.
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url)), three = path.join(here, "node_modules/three/src"), shaders = path.join(three, "renderers/shaders");

// The materials of the page, of its room (RoomEnvironment) and of three itself, and their shaders.
const materials = ["LineBasic", "Mesh", "MeshBasic", "MeshDepth", "MeshDistance", "MeshLambert", "MeshStandard", "Points", "Shader"];
const used = ["depth", "meshbasic", "meshlambert", "meshphysical", "points"];

// What none of them has: maps but 'map' and 'envMap', layers of a physical material, skins and morphs, clipping, lights but of three kinds.
const maps = ["LIGHT", "AO", "BUMP", "NORMAL", "DISPLACEMENT", "EMISSIVE", "CLEARCOAT", "CLEARCOAT_ROUGHNESS", "CLEARCOAT_NORMAL", "IRIDESCENCE", "IRIDESCENCE_THICKNESS", "SPECULAR", "SPECULAR_COLOR",
  "SPECULAR_INTENSITY", "ROUGHNESS", "METALNESS", "ALPHA", "TRANSMISSION", "THICKNESS", "SHEEN_COLOR", "SHEEN_ROUGHNESS", "ANISOTROPY", "GRADIENT"].map((name) => `${name}MAP`);
const features = ["BATCHING", "BATCHING_COLOR", "INSTANCING_MORPH", "NORMALMAP_OBJECTSPACE", "NORMALMAP_TANGENTSPACE", "ANISOTROPY", "CLEARCOAT", "DISPERSION", "IRIDESCENCE", "SHEEN", "TRANSMISSION",
  "ALPHATEST", "ALPHAHASH", "TANGENT", "COLOR_ALPHA", "UV1", "UV2", "UV3", "POINTS_UV", "SKINNING", "MORPHTARGETS", "MORPHNORMALS", "MORPHCOLORS", "LIGHT_PROBES", "LOGARITHMIC_DEPTH_BUFFER",
  "REVERSED_DEPTH_BUFFER", "MATCAP"].concat(maps).map((name) => `USE_${name}`);
const never = new Set([...features, "PHYSICAL", "FOG_EXP2", "ALPHA_TO_COVERAGE", "DECODE_VIDEO_TEXTURE", "DECODE_VIDEO_TEXTURE_EMISSIVE", "DITHERING", "SHADOWMAP_TYPE_VSM", "SHADOWMAP_TYPE_PCF_SOFT"]);
const none = new Set(["SPOT_LIGHTS", "RECT_AREA_LIGHTS", "SPOT_LIGHT_SHADOWS", "POINT_LIGHT_SHADOWS", "SPOT_LIGHT_COORDS", "SPOT_LIGHT_MAPS", "SPOT_LIGHT_SHADOWS_WITH_MAPS"].map((name) => `NUM_${name}`));
const properties = /\b(lightMap|aoMap|bumpMap|normalMap|displacementMap|emissiveMap|specularMap|roughnessMap|metalnessMap|alphaMap|gradientMap|alphaTest|alphaHash|alphaToCoverage|FogExp2|dithering|SpotLight|RectAreaLight|LightProbe|BatchedMesh|SkinnedMesh|morphAttributes|logarithmicDepthBuffer|reversedDepthBuffer|VSMShadowMap|PCFSoftShadowMap|VideoTexture)\b/;

/** Whether a condition of the preprocessor holds: true, false, or null where that depends on what is drawn. */
function holds(text) {
  const parts = (mark) => {   // at the outermost level of brackets
    const found = [""];
    let depth = 0;
    for (const token of text.match(/&&|\|\||[^&|]/g)) {
      depth += (token === "(") - (token === ")");
      if (token === mark && !depth) found.push("");
      else found[found.length - 1] += token;
    }
    return found;
  };
  const any = parts("||"), all = parts("&&");
  if (any.length > 1) return any.map(holds).reduce((a, b) => a || b || (a === null || b === null ? null : false));
  if (all.length > 1) return all.map(holds).reduce((a, b) => (a === false || b === false ? false : a && b));
  const one = text.trim();
  if (/^!/.test(one)) return ((inner) => (inner === null ? null : !inner))(holds(one.slice(1)));
  const name = /^defined\s*\(?\s*(\w+)\s*\)?$/.exec(one)?.[1];
  if (name) return never.has(name) ? false : null;
  if (/^\(.*\)$/.test(one)) return holds(one.slice(1, -1));
  return none.has(/^(\w+)\s*>\s*0$/.exec(one)?.[1]) ? false : null;
}

/** The lines of a shader that the page may need. */
export function needed(lines) {
  const out = [], open = [];   // open: of each #if, whether its lines are kept, whether a branch before was, and whether one held for sure
  for (const line of lines) {
    const [, word, rest] = /^#\s*(if|ifdef|ifndef|elif|else|endif)\b\s*(.*)$/.exec(line) ?? [];
    const kept = open.every((one) => one.kept);
    if (!word) {
      if (kept) out.push(line);
      continue;
    }
    if (word.startsWith("if")) {
      const known = word === "if" ? holds(rest) : never.has(rest.trim()) ? word === "ifndef" : null;
      open.push({ kept: known !== false, before: known === null, sure: known === true });
      if (kept && known === null) out.push(line);
      continue;
    }
    const top = open.at(-1), outer = open.slice(0, -1).every((one) => one.kept);
    if (word === "endif") {
      if (outer && top.before) out.push(line);
      open.pop();
      continue;
    }
    const known = top.sure ? false : word === "else" ? true : holds(rest);
    top.kept = known !== false;
    if (!top.kept) continue;
    top.sure = known === true;
    if (outer && known === true && top.before) out.push("#else");
    if (outer && known === null) out.push(`#${top.before ? "elif" : "if"} ${rest}`);
    top.before ||= known === null;
  }
  return out;
}

const smaller = (glsl) => needed(glsl.replace(/\/\*[^]*?\*\//g, " ").replace(/\/\/.*/g, "").split("\n").map((line) => line.trim()).filter(Boolean))
  .map((line) => (line.startsWith("#") ? line.replace(/\s+/g, " ") : line.replace(/\s+/g, " ").replace(/ ?([=*/<>(){},;?:&|!]) ?/g, "$1"))).join("\n");
const inside = (text, change) => text.replace(/\/\* glsl \*\/`([^]*?)`/g, (_, glsl) => `\`${change(glsl)}\n\``);

/** The pieces that the used shaders include. */
function reached() {
  const found = new Set(), text = (name) => inside(readFileSync(path.join(shaders, name), "utf8"), smaller);
  const follow = (of) => {
    for (const [, name] of of.matchAll(/(?:#include +<|ShaderChunk\[ ')(\w+)/g)) {
      if (found.has(name)) continue;
      found.add(name);
      follow(text(`ShaderChunk/${name}.glsl.js`));
    }
  };
  for (const name of used) follow(text(`ShaderLib/${name}.glsl.js`));
  for (const name of ["extras/PMREMGenerator.js", "renderers/webgl/WebGLProgram.js"]) follow(readFileSync(path.join(three, name), "utf8"));
  return found;
}

/** The page must not use what is left out. */
function check() {
  for (const name of readdirSync(path.join(here, "src"))) {
    const found = name.endsWith(".js") && properties.exec(readFileSync(path.join(here, "src", name), "utf8"));
    if (found) throw new Error(`${name}: '${found[0]}' is left out of the page's three.js (three.mjs)`);
  }
}

export const lean = { name: "three", setup(build) {
  check();
  const pieces = reached();
  build.onResolve({ filter: /^three$/ }, () => ({ path: path.join(three, "Three.js"), sideEffects: false }));
  build.onLoad({ filter: /three[\\/]src[\\/]renderers[\\/]shaders[\\/].*\.glsl\.js$/ }, ({ path: file }) => {
    const [kind, name] = file.split(/[\\/]/).slice(-2), own = name.replace(".glsl.js", "");
    const keep = kind === "ShaderLib" ? used.includes(own) : pieces.has(own);
    return { contents: inside(readFileSync(file, "utf8"), keep ? smaller : () => "") };
  });
  build.onLoad({ filter: /WebXRManager\.js$/ }, () => ({ contents: "export class WebXRManager { enabled = false; isPresenting = false; addEventListener() {} removeEventListener() {} setAnimationLoop() {} dispose() {} getEnvironmentBlendMode() {} }" }));
  build.onEnd(({ metafile }) => {
    for (const { inputs } of Object.values(metafile?.outputs ?? {})) for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
      const name = /three\/src\/materials\/(\w*?)Material\.js$/.exec(file)?.[1];
      if (name && bytesInOutput && !materials.includes(name)) throw new Error(`${name}Material: its shader is left out of the page's three.js (three.mjs)`);
    }
  });
} };
