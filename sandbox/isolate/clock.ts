import { missing } from './missing.ts';
import { looksNative } from './native-look.ts';
import { apply, construct, defineProperty, RealDate, trunc, uncurry } from './primordials.ts';

let origin = 0;
let now = 0;

/** `startedAt`: epoch ms. */
export function startClock(startedAt: number): void {
  origin = startedAt;
  now = startedAt;
}

/** An earlier time leaves the clock unchanged. */
export function advanceClock(to: number): void {
  if (to > now) now = trunc(to);
}

/** `Date` with the run's clock. The caller's code cannot reach the real `Date`. */
// biome-ignore lint/suspicious/noShadowRestrictedNames: the function replaces the global Date
export const VirtualDate = function Date(this: unknown, ...args: unknown[]) {
  if (!new.target) return toDateString(new RealDate(now));
  return construct(RealDate, args.length === 0 ? [now] : args, new.target);
} as unknown as DateConstructor;

export const performance = Object.freeze({
  now: () => now - origin,
  get timeOrigin() {
    return origin;
  },
  mark: missing('performance.mark', 'Keep the result of performance.now() instead.'),
  measure: missing('performance.measure', 'Subtract two results of performance.now() instead.'),
});

/** Installs the run's clock, also in `Intl.DateTimeFormat`. */
export function installClock(): void {
  defineProperty(VirtualDate, 'prototype', { value: RealDate.prototype, writable: false });
  defineProperty(VirtualDate, 'length', { value: 7 });
  defineProperty(VirtualDate, 'name', { value: 'Date' }); // the bundler renames a function that hides a global
  for (const [key, value] of Object.entries({ now: () => now, parse: RealDate.parse, UTC: RealDate.UTC })) {
    defineProperty(VirtualDate, key, { value, writable: true, configurable: true, enumerable: false });
  }
  defineProperty(RealDate.prototype, 'constructor', { value: VirtualDate, writable: true, configurable: true, enumerable: false });

  const formats = Intl.DateTimeFormat.prototype;
  const getFormat = uncurry(Object.getOwnPropertyDescriptor(formats, 'format')!.get!);
  const toParts = formats.formatToParts;
  defineProperty(formats, 'format', {
    get() {
      const format = getFormat(this);
      return looksNative((date?: unknown) => format(date === undefined ? now : date));
    },
    configurable: true,
  });
  defineProperty(formats, 'formatToParts', {
    value: function formatToParts(this: unknown, date?: unknown) {
      return apply(toParts, this, [date === undefined ? now : date]);
    },
    writable: true,
    configurable: true,
  });
}

const toDateString = uncurry(RealDate.prototype.toString);
