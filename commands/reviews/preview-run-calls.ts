import { setImmediate } from 'node:timers/promises';
import type { Approval } from '../../domain/approval.ts';
import type { CallError, CallOutcome } from '../../domain/call.ts';
import type { CallOfHistory } from '../../store/code-run-history.ts';
import { previewError, previewValue, type Shown } from './preview-value.ts';

/** A call of a run for reviewers. */
export interface CallPreview extends Omit<CallOfHistory, 'outcome' | 'inputPreview' | 'callNumber'> {
  /** The number of the call, from 1, among all calls and timers that the code started. */
  number: number;
  /** Null while the call runs, and if its end time is not known. */
  durationMs: number | null;
  input: { is: Shown; value: Record<string, unknown> | null };
  output: { is: Shown; value: unknown };
  error: Pick<CallError, 'code' | 'message'> | null;
}

interface Reading {
  approvals: readonly Approval[];
  /** Ids of the approvals whose calls the reader must not see. */
  hidden: ReadonlySet<string>;
  /** Values to hide everywhere. Undefined if there are too many to search for. */
  hide: readonly string[] | undefined;
  /** False if the outputs of the calls are no longer kept. */
  isKept: boolean;
}

/** Characters of all outcomes together, to limit the time. */
const MAX_READ = 500_000;
/** Maximum share of one outcome in MAX_READ, in characters. */
const MAX_READ_OF_ONE = 50_000;

/**
 * Previews the calls of a run. After the first hidden call with a result, the content of all calls
 * is withheld, because the input of a later call can contain that result.
 */
export async function previewRunCalls(calls: readonly CallOfHistory[], reading: Reading): Promise<CallPreview[]> {
  const previews: CallPreview[] = [];
  const budget = { left: MAX_READ };
  const isHidden = ({ approvalId }: CallOfHistory) => approvalId !== null && reading.hidden.has(approvalId);
  const firstAnswered = calls.find((call) => isHidden(call) && ANSWERED.includes(call.status))?.callNumber ?? Number.POSITIVE_INFINITY;
  for (const call of calls) {
    const isWithheld = isHidden(call) || call.callNumber > firstAnswered;
    previews.push(previewCall(call, reading, isWithheld, budget));
    await setImmediate();
  }
  return previews;
}

const ANSWERED: readonly CallOfHistory['status'][] = ['succeeded', 'failed', 'unknown'];

function previewCall(call: CallOfHistory, reading: Reading, isWithheld: boolean, budget: { left: number }): CallPreview {
  const { callNumber, inputPreview: _, outcome: __, ...rest } = call;
  return {
    ...rest,
    number: callNumber + 1,
    durationMs: durationOf(call),
    input: inputOf(call, reading, isWithheld),
    ...outcomeOf(call, reading, isWithheld, budget),
  };
}

function durationOf({ status, startedAt, finishedAt }: CallOfHistory): number | null {
  const hasEnded = status === 'succeeded' || status === 'failed';
  return hasEnded && finishedAt ? Math.max(0, finishedAt.getTime() - startedAt.getTime()) : null;
}

function inputOf(
  { inputPreview, approvalId, callNumber }: CallOfHistory,
  { approvals }: Reading,
  isWithheld: boolean,
): CallPreview['input'] {
  if (isWithheld) return { is: 'withheld', value: null };
  const asked = approvals.find((approval) => approval.id === approvalId && approval.callNumber === callNumber);
  const value = inputPreview ?? asked?.inputPreview ?? null;
  return { is: value === null ? 'none' : 'shown', value };
}

const NONE = { output: { is: 'none', value: null }, error: null } as const;

function outcomeOf(
  { status, outcome }: CallOfHistory,
  { hide, isKept }: Reading,
  isWithheld: boolean,
  budget: { left: number },
): Pick<CallPreview, 'output' | 'error'> {
  if (status !== 'succeeded' && status !== 'failed') return NONE;
  const without = (is: Shown) => ({ output: { is, value: null }, error: null });
  if (status === 'succeeded' && (!isKept || outcome === null)) return without('deleted');
  if (status === 'succeeded' && isWithheld) return without('withheld');
  if (!outcome || budget.left <= 0) return without('too_large');
  const opened: CallOutcome = outcome();
  budget.left -= Math.min(JSON.stringify(opened).length, MAX_READ_OF_ONE);
  if (!opened.ok) return { ...NONE, error: previewError({ code: opened.error.code, message: opened.error.message }, hide, isWithheld) };
  if (!hide) return without('too_large');
  return { output: { is: 'shown', value: previewValue(opened.output ?? null, hide) }, error: null };
}
