import { defineProperty, includes, RealWeakMap, uncurry, weakGet, weakSet } from './primordials.ts';

const sourceOf = uncurry(Function.prototype.toString);
const shown = new RealWeakMap<object, string>();

/** Hides the source of an internal function. Returns the function. */
export function looksNative<Made extends (...args: never[]) => unknown>(made: Made): Made {
  weakSet(shown, made, 'function () { [native code] }');
  return made;
}

/**
 * Hides the source of all functions that are reachable from `roots`. Must run before the caller's
 * code.
 */
export function installNativeLook(roots: readonly unknown[]): void {
  const shy = {
    toString(this: () => unknown): string {
      return weakGet(shown, this) ?? sourceOf(this);
    },
  };
  defineProperty(Function.prototype, 'toString', { value: shy.toString, writable: true, configurable: true, enumerable: false });
  const reached = new Set<unknown>([...roots, shy.toString]);
  for (const item of reached) {
    if (typeof item === 'function' && !includes(sourceOf(item as () => unknown), '[native code]'))
      weakSet(shown, item, `function ${item.name}() { [native code] }`);
    for (const key of Reflect.ownKeys(item as object)) {
      const { value, get, set } = Reflect.getOwnPropertyDescriptor(item as object, key)!;
      for (const next of [value, get, set]) if (next !== null && /^(object|function)$/.test(typeof next)) reached.add(next);
    }
  }
}
