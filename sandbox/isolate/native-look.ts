import { defineProperty, includes, RealWeakMap, uncurry, weakGet, weakSet } from './primordials.ts';

const sourceOf = uncurry(Function.prototype.toString);
const shown = new RealWeakMap<object, string>();

/** A function of ours that shows, as the language's own do, no source. */
export function looksNative<Made extends (...args: never[]) => unknown>(made: Made): Made {
  weakSet(shown, made, 'function () { [native code] }');
  return made;
}

/** The same for all functions that members of these lead to now, before the caller's code runs: what is not the language's own is ours. */
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
