import { setImmediate } from 'node:timers/promises';
import type { CodeRun, RunError } from '../../../domain/code-run.ts';
import type { PassResult } from '../../../sandbox/host/pass.ts';
import type { JournalCall } from '../../../store/journal.ts';
import { hashJson } from '../../calls/hash-call.ts';
import type { Gateway } from '../../gateway.ts';
import { previewError, previewValue, type Shown } from '../../reviews/preview-value.ts';
import { type CodeRunHistory, listHiddenTexts, previewLogs } from '../../reviews/read-code-run-history.ts';
import { type CallDifference, type ComparedCall, compareCalls, firstDifference } from './compare-calls.ts';
import type { ReplayedCall } from './replay-host.ts';

/**
 * A replay beside its recorded run, for reviewers: without secrets, and cut to the size of a page.
 */
export interface ReplayView {
  calls: ReplayedRow[];
  /** The index of the first call that differs; -1 if none does. */
  firstDifference: number;
  end: ReplayEnd;
  /**
   * True if the replay ended with the same output or error as the run. Null if they cannot be
   * compared.
   */
  isEndSame: boolean | null;
  /** True if people, the service or a limit ended the run before its program ended. */
  isCutShort: boolean;
  logs: CodeRunHistory['logs'];
}

/** `stopped`: the program waited only for calls that have no recorded answer. */
type ReplayEnd = { kind: 'returned'; output: { is: Shown; value: unknown } } | { kind: 'failed'; error: RunError } | { kind: 'stopped' };

export interface ReplayedRow {
  is: CallDifference;
  /** The number of the call in the run, from 1. Null for a call that only the replay made. */
  recorded: number | null;
  /** Null for a call that only the run made. */
  replayed: {
    tool: string;
    line: number | null;
    isAnswered: boolean;
    /** `none` if the input is the input of a recorded call. */
    input: { is: Shown; value: unknown };
  } | null;
}

interface Played {
  result: PassResult;
  calls: readonly ReplayedCall[];
  recorded: readonly JournalCall[];
}

/** Compares a replay with its record, and previews the result for reviewers. */
export async function previewReplay(gateway: Gateway, run: CodeRun, { result, calls, recorded }: Played): Promise<ReplayView> {
  const hide = await listHiddenTexts(gateway, run);
  const isCutShort = wasCutShort(run);
  const isStopped = result.kind === 'paused' || result.kind === 'failed';
  const compared = compareCalls({ recorded, replayed: calls, isCutShort, isStopped });
  const rows: ReplayedRow[] = [];
  for (const row of compared) {
    rows.push(rowOf(row, hide));
    await setImmediate();
  }
  return {
    calls: rows,
    firstDifference: firstDifference(compared),
    end: endOf(result, hide),
    isEndSame: isCutShort || result.kind === 'paused' ? null : isSameEnd(run, result),
    isCutShort,
    logs: hide ? previewLogs(result.logs, hide) : { is: 'too_large', lines: [], omitted: 0 },
  };
}

/** With these errors, the service or a limit ended a run before its program ended. */
const NOT_OF_THE_PROGRAM = new Set([
  ...['CODE_DIVERGED', 'CODE_CALL_OUTCOME_UNKNOWN', 'CODE_RUN_FAILED', 'CODE_UNAVAILABLE'],
  ...['CODE_TIMEOUT', 'CODE_MEMORY', 'CODE_CRASHED', 'CODE_CANCELED'],
]);

function wasCutShort({ status, result }: CodeRun): boolean {
  if (status === 'failed') return NOT_OF_THE_PROGRAM.has(result?.error?.code ?? '');
  return status !== 'executed';
}

function isSameEnd({ result: recorded }: CodeRun, result: PassResult): boolean {
  const error = recorded?.error ?? null;
  if (result.kind === 'returned') return error === null && hashJson(JSON.parse(result.value)) === hashJson(recorded?.output ?? null);
  return result.kind !== 'paused' && error?.code === result.error.code && error.message === result.error.message;
}

function endOf(result: PassResult, hide: readonly string[] | undefined): ReplayEnd {
  if (result.kind === 'paused') return { kind: 'stopped' };
  if (result.kind !== 'returned') return { kind: 'failed', error: previewError(result.error, hide, false) };
  return { kind: 'returned', output: shown(JSON.parse(result.value), hide) };
}

function shown(value: unknown, hide: readonly string[] | undefined): { is: Shown; value: unknown } {
  return hide ? { is: 'shown', value: previewValue(value, hide) } : { is: 'too_large', value: null };
}

function rowOf({ is, recorded, replayed }: ComparedCall, hide: readonly string[] | undefined): ReplayedRow {
  return {
    is,
    recorded: recorded && recorded.callNumber! + 1,
    replayed: replayed && {
      tool: `${replayed.alias}.${replayed.action}`,
      line: replayed.line ?? null,
      isAnswered: replayed.isAnswered,
      input: inputOf(replayed, hide),
    },
  };
}

function inputOf({ record, isInputKept, input }: ReplayedCall, hide: readonly string[] | undefined): { is: Shown; value: unknown } {
  if (record) return { is: 'none', value: null };
  return isInputKept ? shown(input, hide) : { is: 'too_large', value: null };
}
