import { diffSequences, type Stretch } from './diff-sequences.ts';

/** The differences between two texts, by words or by lines. */
export interface TextDiff {
  unit: 'words' | 'lines';
  parts: TextPart[];
}

interface TextPart {
  kind: Stretch['kind'] | 'skipped';
  text: string;
}

/** Unchanged words or lines that are shown before and after a change. */
const CONTEXT = { words: 12, lines: 3 };
/** In characters. Shorter unchanged texts are shown. */
const SKIPPED_TEXT = 60;

/** Compares two texts: by lines if one of them has several lines, else by words. */
export function diffText(before: string, after: string): TextDiff {
  return before.includes('\n') || after.includes('\n') ? diffLines(before.split('\n'), after.split('\n')) : diffWords(before, after);
}

/** Compares two texts that are split into lines. */
export function diffLines(before: readonly string[], after: readonly string[]): TextDiff {
  const parts = diffSequences(before, after).flatMap((stretch, index, all) => shorten(stretch, index, all.length, 'lines'));
  return { unit: 'lines', parts };
}

function diffWords(before: string, after: string): TextDiff {
  const parts = diffSequences(wordsOf(before), wordsOf(after)).flatMap((stretch, index, all) =>
    shorten(stretch, index, all.length, 'words'),
  );
  return { unit: 'words', parts };
}

function wordsOf(text: string): string[] {
  return text.match(/\p{N}+(?:[.,:]\p{N}+)*|[\p{L}\p{M}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

function shorten({ kind, items }: Stretch, index: number, count: number, unit: TextDiff['unit']): TextPart[] {
  const join = (some: string[]) => some.join(unit === 'lines' ? '\n' : '');
  const head = index === 0 ? 0 : CONTEXT[unit];
  const tail = index === count - 1 ? 0 : CONTEXT[unit];
  const skipped = items.slice(head, items.length - tail);
  if (kind !== 'same' || (unit === 'lines' ? skipped.length < 3 : join(skipped).length < SKIPPED_TEXT))
    return [{ kind, text: join(items) }];
  const length = unit === 'lines' ? `${skipped.length} unchanged lines` : `${join(skipped).length} unchanged characters`;
  return [
    ...(head > 0 ? [{ kind, text: join(items.slice(0, head)) }] : []),
    { kind: 'skipped', text: length },
    ...(tail > 0 ? [{ kind, text: join(items.slice(-tail)) }] : []),
  ];
}
