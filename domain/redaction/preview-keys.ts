import { type PreviewText, previewText, sizeOf } from './preview-text.ts';

interface ShownKey {
  key: string;
  shownKey: string;
  isRedacted: boolean;
}

/**
 * Returns the first `max` keys in alphabetical order: the hash of an input ignores their order, so
 * the preview must too.
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

/** Returns the key. Adds a number if `shown` has it, because cut or hidden keys can be equal. */
export function unused(shown: ReadonlyMap<string, unknown>, key: string): string {
  let free = key;
  for (let count = 2; shown.has(free); count += 1) free = `${key} (${count})`;
  return free;
}

/** Returns the keys, those with the smallest values first. */
export function bySize(keys: readonly ShownKey[], fields: Readonly<Record<string, unknown>>): ShownKey[] {
  const sized = keys.map((key) => ({ key, size: sizeOf(fields[key.key]) }));
  return sized.sort((one, other) => one.size - other.size).map(({ key }) => key);
}
