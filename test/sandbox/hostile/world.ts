/**
 * A program that returns a digest of everything reachable from each global. Two isolates of the
 * same kind return the same digests.
 */
export const WORLD = `
  const { getOwnPropertyDescriptor: describe, getPrototypeOf, isExtensible, ownKeys } = Reflect;
  const ids = new Map();
  const lines = [];
  const idOf = (value) => {
    if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return typeof value + ':' + String(value);
    if (!ids.has(value)) ids.set(value, ids.size);
    return '#' + ids.get(value);
  };
  const lookAt = (value) => {
    const says = typeof value === 'function' ? Function.prototype.toString.call(value) : Object.prototype.toString.call(value);
    lines.push(says + isExtensible(value) + idOf(getPrototypeOf(value)));
    for (const key of ownKeys(value)) {
      const { configurable, enumerable, writable, get, set, value: held } = describe(value, key);
      lines.push([String(key), configurable, enumerable, writable, idOf(get), idOf(set), idOf(held)].join(' '));
    }
  };
  const digests = {};
  const seen = new Set();
  const global = (() => {}).constructor('return globalThis')();
  for (const name of ['', ...ownKeys(global).map(String).sort()]) {
    lines.length = 0;
    const root = name === '' ? global : describe(global, name)?.value;
    idOf(root);
    for (const [value] of ids) {
      if (seen.has(value)) continue;
      if (name === '' && value !== global) break;
      seen.add(value);
      lookAt(value);
    }
    let digest = 7;
    for (const unit of lines.join('\\n')) digest = (Math.imul(digest, 31) + unit.codePointAt(0)) | 0;
    digests[name] = lines.length + ' ' + digest;
  }
  return digests;`;
