import type { RuleSubject } from './evaluate-rules.ts';
import type { PolicyRules } from './policy.ts';
import { emptyList, listValues, type RuleFinding } from './rule-finding.ts';

/** `storagePathPrefixes`: one finding for each prefix that a path is under, or one that says that none is. */
export function judgePaths({ storagePathPrefixes: prefixes }: PolicyRules, subject: RuleSubject): RuleFinding[] {
  if (!prefixes) return [];
  if (prefixes.length === 0) return [emptyList('storagePathPrefixes')];
  const paths = (subject.paths ?? namedPaths(subject.input)).map(normalizePath);
  const rule = 'storagePathPrefixes';
  const above = foldersAbove(paths, Math.max(...prefixes.map(({ length }) => length)));
  const fired = prefixes.filter((prefix) => above.has(normalizePath(prefix)));
  if (fired.length > 0) return fired.map((prefix) => ({ rule, fired: true, tell: () => `a path is under ${prefix}` }));
  const tell = () =>
    paths.length === 0 ? 'the call names no path' : `no path is under one of them (${listValues(paths.map((path) => `/${path}`))})`;
  return [{ rule, fired: false, tell }];
}

const PATH_FIELDS = new Set(['path', 'prefix', 'file', 'filepath', 'filename', 'key', 'destination']);

function namedPaths(input: unknown): string[] {
  if (input === null || typeof input !== 'object') return [];
  return Object.entries(input).flatMap(([key, value]) => (PATH_FIELDS.has(key.toLowerCase()) && typeof value === 'string' ? [value] : []));
}

/** Every path, and every folder above one whose name is not longer than `maxLength`: so the cost does not grow with the list of prefixes. */
function foldersAbove(paths: readonly string[], maxLength: number): Set<string> {
  const above = new Set(paths);
  for (const path of paths) {
    above.add('');
    for (let slash = path.indexOf('/'); slash !== -1 && slash <= maxLength; slash = path.indexOf('/', slash + 1)) {
      above.add(path.slice(0, slash));
    }
  }
  return above;
}

/** A path without empty, `.` and `..` parts; it never climbs above its root. */
export function normalizePath(path: string): string {
  const parts: string[] = [];
  for (const part of path.replaceAll('\\', '/').split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}
