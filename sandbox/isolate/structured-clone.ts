import { defineProperty } from './primordials.ts';

type TypedArray = Uint8Array & { constructor: new (buffer: ArrayBuffer, offset: number, length: number) => TypedArray };

/** Copies data deeply. Refuses functions, symbols, promises, weak maps and weak sets. */
export function structuredClone<T>(value: T): T {
  return clone(value, new Map()) as T;
}

function clone(value: unknown, copies: Map<object, unknown>): unknown {
  if (typeof value === 'function' || typeof value === 'symbol') throw cannotClone(value);
  if (typeof value !== 'object' || value === null) return value;
  if (copies.has(value)) return copies.get(value);
  const copy = cloneBuiltin(value, copies);
  if (copy !== undefined) {
    copies.set(value, copy);
    return copy;
  }
  if (value instanceof Map)
    return fill(copies, value, new Map(), (target) => {
      for (const [key, item] of [...value]) target.set(clone(key, copies), clone(item, copies));
    });
  if (value instanceof Set)
    return fill(copies, value, new Set(), (target) => {
      for (const item of [...value]) target.add(clone(item, copies));
    });
  if (value instanceof WeakMap || value instanceof WeakSet || value instanceof Promise) throw cannotClone(value);
  const empty = Array.isArray(value) ? new Array(value.length) : value instanceof Error ? cloneError(value) : {};
  return fill(copies, value, empty, (target) => {
    for (const key of Object.keys(value)) {
      defineProperty(target, key, {
        value: clone((value as Record<string, unknown>)[key], copies),
        writable: true,
        enumerable: true,
        configurable: true,
      });
    }
  });
}

function cloneBuiltin(value: object, copies: Map<object, unknown>): object | undefined {
  if (value instanceof Date) return new Date(value.getTime());
  if (value instanceof RegExp) return new RegExp(value.source, value.flags);
  if (value instanceof ArrayBuffer) return value.slice(0);
  if (value instanceof DataView) return new DataView(clone(value.buffer, copies) as ArrayBuffer, value.byteOffset, value.byteLength);
  if (ArrayBuffer.isView(value)) {
    const view = value as TypedArray;
    return new view.constructor(clone(view.buffer, copies) as ArrayBuffer, view.byteOffset, view.length);
  }
  if (value instanceof Boolean || value instanceof Number || value instanceof String || value instanceof BigInt)
    return Object(value.valueOf());
  return undefined;
}

function cloneError(value: Error): Error {
  const kinds: Record<string, new (message: string) => Error> = { EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
  const copy = new (kinds[value.name] ?? Error)(value.message);
  defineProperty(copy, 'stack', { value: value.stack, writable: true, configurable: true });
  return copy;
}

function fill<T extends object>(copies: Map<object, unknown>, value: object, target: T, write: (target: T) => void): T {
  copies.set(value, target);
  write(target);
  return target;
}

function cannotClone(value: unknown): Error {
  const error = new TypeError(`structuredClone cannot copy a ${typeof value === 'object' ? 'value of this kind' : typeof value}`);
  return defineProperty(error, 'name', { value: 'DataCloneError' });
}
