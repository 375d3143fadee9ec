import {
  create,
  getPrototypeOf,
  isArray,
  isFiniteNumber,
  ownKeys,
  RealArrayBuffer,
  RealError,
  RealMap,
  RealRegExp,
  RealSet,
  RealUint8Array,
  toText,
  uncurry,
} from './primordials.ts';
import { URLSearchParams } from './url.ts';

/** A kind of value that JSON would silently drop or change. */
export interface BeyondJson {
  /** What the value is, such as `a Map` or `NaN`. */
  is: string;
  instead: string;
  /** The closest JSON value; undefined if there is none. */
  shown?: (item: never) => unknown;
}

/** Why JSON would lose a value. Undefined if JSON keeps it. */
export function beyondJson(item: unknown): BeyondJson | undefined {
  if (typeof item === 'number') return isFiniteNumber(item) ? undefined : { is: toText(item), instead: 'send a number that JSON has' };
  if (typeof item !== 'object' || item === null) return undefined;
  const prototype = getPrototypeOf(item);
  if (prototype === PLAIN || prototype === null || isArray(item)) return undefined;
  for (let index = 0; index < KINDS.length; index++) if (item instanceof KINDS[index]!.of) return KINDS[index];
  return undefined;
}

const PLAIN = Object.prototype;
const TypedArray = getPrototypeOf(Uint8Array) as new () => Uint8Array;
const { Iterator: RealIterator } = globalThis as unknown as { Iterator: abstract new () => object };

// Loops use counters, because the caller's code may have replaced iterators and methods.
const KINDS: (BeyondJson & { of: abstract new (...args: never[]) => object })[] = [
  { of: RealMap, is: 'a Map', instead: 'write Object.fromEntries(map)', shown: membersOf },
  { of: RealSet, is: 'a Set', instead: 'write [...set]', shown: itemsOf },
  { of: RealError, is: 'an Error', instead: 'write error.message', shown: wordsOf },
  { of: RealRegExp, is: 'a RegExp', instead: 'write pattern.source', shown: toText },
  { of: TypedArray, is: 'a typed array', instead: 'write [...array]', shown: numbersOf },
  { of: RealArrayBuffer, is: 'an ArrayBuffer', instead: 'write [...new Uint8Array(buffer)]', shown: bytesOf },
  { of: URLSearchParams, is: 'a URLSearchParams', instead: 'write Object.fromEntries(params)', shown: toText },
  { of: RealIterator, is: 'an iterator', instead: 'write [...iterator]' },
];

const forEachMember = uncurry(Map.prototype.forEach);
const forEachItem = uncurry(Set.prototype.forEach);

function membersOf(map: Map<unknown, unknown>): unknown {
  const members: Record<string, unknown> = create(null);
  const entries: [unknown, unknown][] = [];
  let type: string | undefined;
  let isObject = true;
  forEachMember(map, (value, key) => {
    type ??= typeof key;
    isObject &&= typeof key === type && (type === 'string' || type === 'number');
    if (isObject) members[key as string] = value;
    entries[entries.length] = [key, value];
  });
  return isObject ? members : entries;
}

function itemsOf(set: Set<unknown>): unknown[] {
  const items: unknown[] = [];
  forEachItem(set, (item) => {
    items[items.length] = item;
  });
  return items;
}

function wordsOf(error: Error): Record<string, unknown> {
  const words: Record<string, unknown> = create(null);
  words.name = error.name;
  words.message = error.message;
  // `cause` and `errors` are not enumerable, so `ownKeys` does not list them.
  if ('cause' in error) words.cause = error.cause;
  if ('errors' in error) words.errors = error.errors;
  const keys = ownKeys(error);
  for (let index = 0; index < keys.length; index++) words[keys[index]!] = (error as never as Record<string, unknown>)[keys[index]!];
  return words;
}

function numbersOf(array: Uint8Array): unknown[] {
  const numbers: unknown[] = [];
  for (let index = 0; index < array.length; index++) numbers[index] = array[index];
  return numbers;
}

function bytesOf(buffer: ArrayBuffer): unknown[] {
  return numbersOf(new RealUint8Array(buffer));
}
