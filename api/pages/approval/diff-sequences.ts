/** Consecutive items of one kind. */
export interface Stretch {
  kind: 'same' | 'removed' | 'added';
  items: string[];
}

/** Maximum number of compared pairs. Beyond it, the whole difference is one replacement. */
const MAX_STEPS = 1_000_000;

/**
 * The removals and additions that turn the first sequence into the second. As few as possible,
 * unless the sequences are too long to compare.
 */
export function diffSequences(before: readonly string[], after: readonly string[]): Stretch[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const middle = diffMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end));
  return merge([{ kind: 'same', items: before.slice(0, start) }, ...middle, { kind: 'same', items: before.slice(before.length - end) }]);
}

function diffMiddle(before: string[], after: string[]): Stretch[] {
  const replaced: Stretch[] = [
    { kind: 'removed', items: before },
    { kind: 'added', items: after },
  ];
  if (before.length * after.length > MAX_STEPS || before.length === 0 || after.length === 0) return replaced;
  const common = commonLengths(before, after);
  const width = after.length + 1;
  const stretches: Stretch[] = [];
  let [from, to] = [0, 0];
  while (from < before.length && to < after.length) {
    if (before[from] === after[to]) {
      stretches.push({ kind: 'same', items: [before[from]!] });
      from += 1;
      to += 1;
    } else if (common[(from + 1) * width + to]! >= common[from * width + to + 1]!) {
      stretches.push({ kind: 'removed', items: [before[from]!] });
      from += 1;
    } else {
      stretches.push({ kind: 'added', items: [after[to]!] });
      to += 1;
    }
  }
  return [...stretches, { kind: 'removed', items: before.slice(from) }, { kind: 'added', items: after.slice(to) }];
}

/** The length of the longest common subsequence of each pair of suffixes. */
function commonLengths(before: string[], after: string[]): Uint32Array {
  const width = after.length + 1;
  const lengths = new Uint32Array((before.length + 1) * width);
  for (let from = before.length - 1; from >= 0; from -= 1)
    for (let to = after.length - 1; to >= 0; to -= 1)
      lengths[from * width + to] =
        before[from] === after[to]
          ? lengths[(from + 1) * width + to + 1]! + 1
          : Math.max(lengths[(from + 1) * width + to]!, lengths[from * width + to + 1]!);
  return lengths;
}

function merge(stretches: readonly Stretch[]): Stretch[] {
  const merged: Stretch[] = [];
  for (const { kind, items } of stretches) {
    if (items.length === 0) continue;
    const last = merged.at(-1);
    if (last?.kind === kind) last.items.push(...items);
    else merged.push({ kind, items: [...items] });
  }
  return merged;
}
