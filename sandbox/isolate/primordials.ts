/** The built-ins as they were before the caller's code could replace them. */

type Method<Self, Args extends unknown[], Result> = (this: Self, ...args: Args) => Result;

const { bind, call } = Function.prototype;

/**
 * Turns a method into a function whose first argument is `this`, and which the caller's code cannot
 * replace.
 */
export const uncurry: <Self, Args extends unknown[], Result>(method: Method<Self, Args, Result>) => (self: Self, ...args: Args) => Result =
  bind.bind(call) as never;

export const { apply, construct, getPrototypeOf } = Reflect;
export const { create, freeze, keys: ownKeys, hasOwn } = Object;
export const { floor, imul, max, min, trunc } = Math;
export const { isArray } = Array;
export const { parse: jsonParse, stringify: jsonStringify } = JSON;
/** Whether a value is a result of `JSON.rawJSON`, which goes into JSON unchanged. */
export const isRawJson = (JSON as unknown as { isRawJSON(value: unknown): boolean }).isRawJSON as (
  value: unknown,
) => value is { readonly rawJSON: string };
export const { isFinite: isFiniteNumber, isSafeInteger } = Number;
export const { fromCharCode, fromCodePoint } = String;
export const RealArrayBuffer = ArrayBuffer;
export const RealDate = Date;
export const RealError = Error;
export const RealMap = Map;
export const RealPromise = Promise;
export const RealProxy = Proxy;
export const RealRegExp = RegExp;
export const RealSet = Set;
export const RealUint8Array = Uint8Array;
export const RealWeakMap = WeakMap;
export const toText = String;
export const toNumber = Number;

const { defineProperty: define, setPrototypeOf } = Object;

/** Like `Object.defineProperty`, but ignores what the descriptor inherits. */
export function defineProperty<T extends object>(target: T, key: PropertyKey, descriptor: PropertyDescriptor): T {
  return define(target, key, setPrototypeOf(descriptor, null));
}

/** Makes an object inherit nothing, so that proxy traps are not read from Object.prototype. */
export function inheritingNothing<T extends object>(members: T): T {
  return setPrototypeOf(members, null);
}

export const charCodeAt = uncurry(String.prototype.charCodeAt);
export const slice = uncurry(String.prototype.slice as (this: string, start: number, end?: number) => string);
export const includes = uncurry(String.prototype.includes as (this: string, searched: string) => boolean);
export const toWellFormed = uncurry(String.prototype.toWellFormed);
export const matches = uncurry(RegExp.prototype.exec);
export const weakGet = uncurry(WeakMap.prototype.get);
export const weakSet = uncurry(WeakMap.prototype.set);
export const join = uncurry(Array.prototype.join as (this: unknown[], separator?: string) => string);

/** Whether a text takes more than `maxBytes` bytes of UTF-8. */
export function isLongerThan(text: string, maxBytes: number): boolean {
  return text.length > maxBytes || (text.length * 3 > maxBytes && utf8Length(text) > maxBytes);
}

/** The length of a string in bytes of UTF-8. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = charCodeAt(text, index);
    if (unit < 0x80) continue;
    const isPair = unit >= 0xd800 && unit < 0xdc00 && charCodeAt(text, index + 1) >= 0xdc00 && charCodeAt(text, index + 1) < 0xe000;
    if (isPair) index++;
    bytes += isPair || unit < 0x800 ? (isPair ? 2 : 1) : 2;
  }
  return bytes;
}
