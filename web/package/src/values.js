// Errors, and what arguments of calls are checked for.

export const RESULTS = ['ok', 'argument', 'stale', 'memory', 'limit', 'busy', 'diverged', 'host'];

export class SinewError extends Error {
  constructor(message, code, problems = []) {
    super(message);
    this.name = 'SinewError';
    this.code = code;
    this.problems = problems;
  }
}

export function wrong(message) {
  return new SinewError(message, 'argument');
}

export function number(value, what) {
  if (typeof value !== 'number' || Number.isNaN(value)) throw wrong(`${what}: expected a number, found ${String(value)}`);
  return value;
}

export function index(value, what) {
  if (!Number.isInteger(value) || value < 0 || value > 0xffffffff) throw wrong(`${what}: expected a number of one, 0 or more, found ${String(value)}`);
  return value;
}

export function vector(value, what, length = 3) {
  if (value === null || typeof value !== 'object' || value.length !== length) throw wrong(`${what}: expected ${length} numbers, found ${String(value)}`);
  for (let i = 0; i < length; ++i) number(value[i], what);
  return value;
}

export function sceneError(problems) {
  const errors = problems.filter((one) => one.severity === 'error');
  return new SinewError(errors.map((one) => one.text).join('\n') || 'the scene could not be made', 'scene', problems);
}

/** A copy that JSON can hold: typed arrays as lists. */
export function plain(value) {
  if (ArrayBuffer.isView(value)) return Array.from(value);
  if (Array.isArray(value)) return value.map(plain);
  if (value && typeof value === 'object') return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)]));
  return value;
}
