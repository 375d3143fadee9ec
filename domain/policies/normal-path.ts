import { isAsciiText, normalText, percentDecoded } from './normal-text.ts';

/** Maximum length in characters that a store accepts. For a longer path, rules about paths fire. */
export const PATH_MAX_LENGTH = 8192;

/** Removes empty, `.` and `..` segments. The result never leaves the root. */
export function normalizePath(path: string): string {
  const parts: string[] = [];
  for (const part of path.replaceAll('\\', '/').split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}

/**
 * Returns every reading of a path that a store could use, in lower case. A store may decode percent
 * signs, or drop trailing dots, a scheme, host or drive.
 */
export function readPath(path: string): string[] {
  const whole = normalText(path).trim();
  if (isAsciiText(path) && SIMPLE.test(whole)) return [normalizePath(whole)];
  const texts = new Set([whole, ...percentDecoded(whole).map((text) => normalText(text).trim())]);
  const readings = new Set<string>();
  for (const text of texts) {
    for (const located of [text, text.replace(SCHEME, ''), text.replace(SCHEME_AND_HOST, ''), text.replace(DRIVE, '')]) {
      readings.add(normalizePath(located));
      readings.add(normalizePath(located.replace(LOOSE_END, '')));
    }
  }
  return [...readings];
}

/**
 * Returns a path without `/` and `./` at its beginning. For some stores, every other character is
 * part of the name.
 */
export function literalPath(path: string): string {
  return path.replace(/^(?:\.?\/)+/, '');
}

/** Returns a policy's path prefix in the normal form of `readPath`. */
export function normalPathPrefix(prefix: string): string {
  const whole = normalText(percentDecoded(prefix).at(-1) ?? prefix).trim();
  return normalizePath(whole.replace(LOOSE_END, ''));
}

/** Paths with a single reading. Matching takes linear time. */
const SIMPLE = /^[\w/\\,@=+-]*(?:\.[\w,@=+-][\w/\\,@=+-]*)*$/;
const SCHEME = /^[a-z][a-z0-9+.-]*:(?=[\\/]{2})/;
const SCHEME_AND_HOST = /^[a-z][a-z0-9+.-]*:[\\/]{2}[^\\/]*/;
const DRIVE = /^(?:[\\/]{2}[?.][\\/])?[a-z]:/;
const LOOSE_END = /(?<=[^\\/.\s])[.\s]+(?=[\\/]|$)/g;
