import { type PreviewText, previewText, sizeOf } from './preview-text.ts';

/** A key, and the form in which a reviewer reads it. */
interface ShownKey {
  key: string;
  shownKey: string;
  isRedacted: boolean;
}

/**
 * Returns the first `max` keys in alphabetical order, as a reviewer reads them. The hash of an
 * input ignores the order of its keys, so that order must not change the preview.
 */
export function shownKeys(preview: PreviewText, keys: string[], max: number): ShownKey[] {
  const taken = new Map<string, string>();
  return [...keys]
    .sort()
    .slice(0, max)
    .map((key) => {
      const { text, isRedacted } = previewText(preview, key);
      const shownKey = unused(taken, text);
      taken.set(shownKey, key);
      return { key, shownKey, isRedacted };
    });
}

/**
 * Returns the key. Adds a number if another key in `shown` looks the same, because keys were
 * escaped, cut or hidden.
 */
export function unused(shown: ReadonlyMap<string, unknown>, key: string): string {
  let free = key;
  for (let count = 2; shown.has(free); count += 1) free = `${key} (${count})`;
  return free;
}

/** Returns the keys, sorted by the size of their values, smallest first. */
export function bySize(keys: readonly ShownKey[], fields: Readonly<Record<string, unknown>>): ShownKey[] {
  const sized = keys.map((key) => ({ key, size: sizeOf(fields[key.key]) }));
  return sized.sort((one, other) => one.size - other.size).map(({ key }) => key);
}
