import type { CallDifference } from '../../../../commands/code-runs/replay/compare-calls.ts';
import type { ReplayedRow, ReplayView } from '../../../../commands/code-runs/replay/preview-replay.ts';
import type { CallPreview } from '../../../../commands/reviews/preview-run-calls.ts';
import type { CodeRunHistory } from '../../../../commands/reviews/read-code-run-history.ts';
import { RUN_STATES } from '../../code-run/describe-run.ts';
import { type Budget, openBudget } from '../../code-run/present-calls.ts';
import { presentResult, type ShownResult } from '../../code-run/present-result.ts';
import type { ShownValue } from '../../layout/show-value.ts';

interface ShownRow {
  /** The recorded call, such as "3 mail.send, line 10". Null if the run did not make the call. */
  recorded: string | null;
  replayed: string | null;
  words: string;
  tone: 'same' | 'different' | 'quiet';
  isFirst: boolean;
  /** Empty if they do not help to explain the difference. */
  inputs: { name: string; value: ShownValue | null; words: string | null }[];
}

interface ShownEnd {
  name: string;
  output: ShownValue | null;
  error: { code: string; message: string } | null;
  words: string | null;
  logs: ShownResult['logs'];
}

/** The data of the region "Result", which compares a replay with its run. */
export function presentReplay(history: CodeRunHistory, replay: ReplayView) {
  const budget = openBudget();
  const byNumber = new Map(history.calls.map((call) => [call.number, call]));
  let made = 0;
  const rows = replay.calls.map((row, place) => {
    const number = row.replayed === null ? made : ++made;
    const call = row.recorded === null ? undefined : byNumber.get(row.recorded);
    return { ...rowOf(row, { call, number, budget }), isFirst: place === replay.firstDifference };
  });
  return { ...verdictOf(replay, rows), rows, ends: [recordedEnd(history, budget), replayedEnd(history, replay, budget)] };
}

function verdictOf({ calls, firstDifference, isEndSame, isCutShort, end }: ReplayView, rows: readonly ShownRow[]) {
  const first = rows[firstDifference];
  const verdict = first
    ? `The first difference is call ${first.replayed ?? first.recorded}: ${lower(DIFFERENCES[calls[firstDifference]!.is])}`
    : isEndSame === false
      ? 'The calls are the same. The end differs.'
      : isEndSame
        ? 'Nothing differs: the same calls, the same end.'
        : 'The calls are the same as far as the record goes.';
  const notes = [
    end.kind === 'stopped' && 'The replay stopped where the record has no answer.',
    isCutShort && 'The run did not end by itself, so the two ends can’t be compared.',
  ].filter((note) => note !== false);
  return { verdict, notes, tone: first || isEndSame === false ? 'waiting' : 'good' };
}

const DIFFERENCES: Record<CallDifference, string> = {
  same: 'Same.',
  input: 'Another input.',
  action: 'Another action.',
  added: 'Only the replay makes it.',
  missing: 'The replay does not make it.',
  moved: 'Made in another order.',
  beyond: 'Made after the point where the run ended.',
  not_reached: 'Not reached.',
};
const QUIET: readonly CallDifference[] = ['beyond', 'not_reached'];

interface RowParts {
  call: CallPreview | undefined;
  /** The number of the replayed call, from 1. */
  number: number;
  budget: Budget;
}

function rowOf({ is, recorded, replayed }: ReplayedRow, { call, number, budget }: RowParts): Omit<ShownRow, 'isFirst'> {
  const unanswered = replayed !== null && !replayed.isAnswered ? ' The record has no answer to it.' : '';
  const shows = is === 'input' || is === 'action' || is === 'added' || is === 'beyond';
  const recordedInput = call ? [inputOf('Recorded input', call.input, budget)] : [];
  return {
    recorded: recorded === null ? null : `${recorded} ${call ? toolOf(call) : ''}${lineOf(call?.codeLine ?? null)}`,
    replayed: replayed && `${number} ${replayed.tool}${lineOf(replayed.line)}`,
    words: DIFFERENCES[is] + unanswered,
    tone: is === 'same' ? 'same' : QUIET.includes(is) ? 'quiet' : 'different',
    inputs: shows && replayed ? [...recordedInput, inputOf('Input of the replay', replayed.input, budget)] : [],
  };
}

function toolOf({ integrationAlias, integrationName, actionName }: CallPreview): string {
  return `${integrationAlias ?? integrationName}.${actionName}`;
}

function lineOf(line: number | null): string {
  return line === null ? '' : `, line ${line}`;
}

function inputOf(name: string, { is, value }: { is: string; value: unknown }, budget: Budget): ShownRow['inputs'][number] {
  const shown = is === 'shown' ? budget.show(value, name) : null;
  return { name, value: shown, words: shown ? null : is === 'none' ? 'None is stored.' : 'Too large for this page.' };
}

function recordedEnd(history: CodeRunHistory, budget: Budget): ShownEnd {
  const { output, logs } = presentResult(history, budget);
  const { error, run } = history;
  const words = error || output.value ? null : run.status === 'executed' ? output.words : RUN_STATES[run.status].label;
  return { name: 'Recorded', output: output.value, error, words, logs };
}

function replayedEnd(history: CodeRunHistory, { end, logs }: ReplayView, budget: Budget): ShownEnd {
  const output = end.kind === 'returned' ? end.output : ({ is: 'none', value: null } as const);
  const shown = presentResult({ run: { ...history.run, status: 'executed' }, output, logs }, budget);
  const words = end.kind === 'stopped' ? 'It did not get to its end.' : shown.output.words;
  return {
    name: 'Replayed',
    output: shown.output.value,
    error: end.kind === 'failed' ? end.error : null,
    words: end.kind === 'failed' ? null : shown.output.value ? null : words,
    logs: shown.logs,
  };
}

function lower(words: string): string {
  return words.charAt(0).toLowerCase() + words.slice(1);
}
