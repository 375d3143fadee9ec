import { REDACTED } from '../../../domain/redaction/redacted.ts';
import { isRecord } from '../../../domain/unknown-values.ts';
import { type ShownValue, showValue } from '../layout/show-value.ts';
import { diffSequences } from './diff-sequences.ts';
import { diffText, type TextDiff } from './diff-text.ts';

/** The difference between two previews of the same action. */
export interface Comparison {
  changes: Change[];
  omitted: number;
  /** Paths of equal values. */
  same: string[];
  /** Paths of hidden or cut values: it is unknown whether they changed. */
  uncompared: string[];
}

/** For a changed long text, `text` replaces `before` and `after`. */
interface Change {
  path: string;
  kind: 'changed' | 'added' | 'removed';
  before?: ShownValue;
  after?: ShownValue;
  text?: TextDiff;
}

const MAX_CHANGES = 60;
const MAX_PATHS = 200;
/** Maximum length in characters of a text that is shown completely instead of as a diff. */
const SHORT_TEXT = 60;

/** Compares two previews, never the inputs. */
export function comparePreviews(before: Record<string, unknown>, after: Record<string, unknown>): Comparison {
  const found: Found = { changes: [], same: [], uncompared: [] };
  compareFields(found, before, after, '');
  const { changes, same, uncompared } = found;
  return {
    changes: changes.slice(0, MAX_CHANGES).map((change) => change()),
    omitted: Math.max(0, changes.length - MAX_CHANGES),
    same: listed(same),
    uncompared: listed(uncompared),
  };
}

interface Found {
  /** Functions, because only the listed changes are prepared for the page. */
  changes: (() => Change)[];
  same: string[];
  uncompared: string[];
}

function listed(paths: string[]): string[] {
  return paths.length > MAX_PATHS ? [...paths.slice(0, MAX_PATHS), `${paths.length - MAX_PATHS} more`] : paths;
}

function compare(found: Found, before: unknown, after: unknown, path: string): void {
  if (isHidden(before) || isHidden(after)) found.uncompared.push(path);
  else if (isRecord(before) && isRecord(after)) compareFields(found, before, after, path);
  else if (Array.isArray(before) && Array.isArray(after)) compareLists(found, before, after, path);
  else if (JSON.stringify(before) !== JSON.stringify(after)) found.changes.push(() => changed(before, after, path));
  else (isCut(after) ? found.uncompared : found.same).push(path);
}

function compareFields(found: Found, before: Record<string, unknown>, after: Record<string, unknown>, path: string): void {
  for (const name of new Set([...Object.keys(after), ...Object.keys(before)])) {
    const inside = path === '' ? name : `${path}.${name}`;
    const [had, has] = [Object.hasOwn(before, name), Object.hasOwn(after, name)];
    if (name.includes(REDACTED) || name.startsWith('[more]')) found.uncompared.push(inside);
    else if (had && has) compare(found, before[name], after[name], inside);
    else if (has) found.changes.push(() => ({ path: inside, kind: 'added', after: shown(after[name], inside, 'now') }));
    else found.changes.push(() => ({ path: inside, kind: 'removed', before: shown(before[name], inside, 'before') }));
  }
}

function compareLists(found: Found, before: unknown[], after: unknown[], path: string): void {
  if ([...before, ...after].some(isHidden)) {
    found.uncompared.push(path);
    return;
  }
  // With a hidden value in the list, any removed item may be the item that is hidden now.
  const isGuarded = JSON.stringify(after).includes(REDACTED);
  for (const { from, to } of pairItems(before, after)) {
    const inside = `${path}.${to ?? from}`;
    if (from !== undefined && to !== undefined) compare(found, before[from], after[to], inside);
    else if (to !== undefined) found.changes.push(() => ({ path: inside, kind: 'added', after: shown(after[to], inside, 'now') }));
    else if (isGuarded) found.changes.push(() => ({ path: inside, kind: 'removed', before: { kind: 'hidden' } }));
    else found.changes.push(() => ({ path: inside, kind: 'removed', before: shown(before[from!], inside, 'before') }));
  }
}

interface Pair {
  from?: number;
  to?: number;
}

/** Equal items form pairs first. Records are paired only with records. */
function pairItems(before: unknown[], after: unknown[]): Pair[] {
  const asText = (items: unknown[]) => items.map((item) => JSON.stringify(item));
  const pairs: Pair[] = [];
  let alone: Pair[] = [];
  let [from, to] = [0, 0];
  for (const { kind, items } of diffSequences(asText(before), asText(after))) {
    if (kind === 'same') alone = [];
    for (let count = items.length; count > 0; count -= 1) {
      const partner = kind === 'added' ? alone.findIndex((pair) => isRecord(before[pair.from!]) === isRecord(after[to])) : -1;
      if (partner >= 0) {
        alone.splice(partner, 1)[0]!.to = to++;
        continue;
      }
      const pair = { ...(kind === 'added' ? {} : { from: from++ }), ...(kind === 'removed' ? {} : { to: to++ }) };
      pairs.push(pair);
      if (kind === 'removed') alone.push(pair);
    }
  }
  return pairs;
}

function changed(before: unknown, after: unknown, path: string): Change {
  if (typeof before === 'string' && typeof after === 'string' && Math.max(before.length, after.length) > SHORT_TEXT)
    return { path, kind: 'changed', text: diffText(before, after) };
  return { path, kind: 'changed', before: shown(before, path, 'before'), after: shown(after, path, 'now') };
}

/** `when` distinguishes the labels of the former and the current value. */
function shown(value: unknown, path: string, when: 'before' | 'now'): ShownValue {
  return showValue(value, `${path} ${when}`).shown;
}

function isHidden(value: unknown): boolean {
  return typeof value === 'string' && value.includes(REDACTED);
}

/** Whether a text is cut. Two equal cut texts may still differ in the missing part. */
function isCut(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    /\[(?:deeper values are not shown|not shown: the input is too large|\d+ more (?:characters|items))\]$/.test(value)
  );
}
