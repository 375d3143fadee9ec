import type { CallFacts, Paths } from './call-facts.ts';
import { compiledRules, type PathPrefix } from './compiled-rules.ts';
import { literalPath, normalizePath } from './normal-path.ts';
import type { PolicyRules } from './policy.ts';
import { emptyListFinding, listValues, type RuleFinding, tooLargeFinding } from './rule-finding.ts';

const PER_PREFIX = 60;
const PER_READING = 60;

/** Judges `storagePathPrefixes`. */
export function judgePaths(rules: PolicyRules, facts: CallFacts): RuleFinding[] {
  if (!rules.storagePathPrefixes) return [];
  const rule = 'storagePathPrefixes';
  if (rules.storagePathPrefixes.length === 0) return [emptyListFinding(rule)];
  const paths = facts.paths();
  if (!paths) return [tooLargeFinding(rule)];
  const describe = () =>
    paths.named.length === 0
      ? 'the call names no path'
      : `no path is under one of them (${listValues(paths.named.map((path) => `/${normalizePath(path)}`))})`;
  if (paths.named.length === 0) return [{ rule, fired: false, describe }];
  const prefixes = compiledRules(rules).storagePathPrefixes();
  if (!facts.work.spend(prefixes.length * PER_PREFIX)) return [tooLargeFinding(rule)];
  const fired = prefixes.filter(({ normal }) => paths.above.has(normal));
  if (fired.length === 0) return [{ rule, fired: false, describe }];
  const isUnsure = !facts.work.spend((paths.readings.size + paths.named.length) * fired.length * PER_READING) || !allUnder(fired, paths);
  return fired.map(({ written }) => ({ rule, fired: true, isUnsure, describe: () => `a path is under ${written}` }));
}

/** Whether all paths are under a prefix, literally and in every reading that a store may use. */
function allUnder(prefixes: readonly PathPrefix[], { named, readings }: Paths): boolean {
  const isUnder = (path: string, prefix: string) =>
    path.startsWith(prefix) && (prefix === '' || path.length === prefix.length || path[prefix.length] === '/');
  return (
    named.every((path) => prefixes.some(({ literal }) => isUnder(literalPath(path), literal))) &&
    [...readings].every((reading) => prefixes.some(({ normal }) => isUnder(reading, normal)))
  );
}
