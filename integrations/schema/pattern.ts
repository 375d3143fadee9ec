import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';

/**
 * Whether a text matches a pattern. Patterns are untrusted, so they are matched in linear time
 * (RE2). Throws SyntaxError for an invalid pattern.
 */
export function matchesPattern(pattern: string, text: string): boolean {
  return compilePattern(pattern).matcher(text).find();
}

const PATTERN_MAX_LENGTH = 1000;
const compiled = new LRUCache<string, RE2JS>({ max: 2000 });

/** Throws SyntaxError if the pattern is too long or RE2 does not accept it. */
export function compilePattern(pattern: string): RE2JS {
  const known = compiled.get(pattern);
  if (known) return known;
  if (pattern.length > PATTERN_MAX_LENGTH) throw new SyntaxError(`a pattern has at most ${PATTERN_MAX_LENGTH} characters`);
  try {
    const made = RE2JS.compile(RE2JS.translateRegExp(pattern));
    compiled.set(pattern, made);
    return made;
  } catch (error) {
    throw new SyntaxError(`is not a supported pattern: ${(error as Error).message}`, { cause: error });
  }
}
