import { setImmediate } from 'node:timers/promises';
import type { Approval } from '../domain/approval.ts';
import type { CallError, CallOutcome } from '../domain/call.ts';
import type { CallOfHistory } from '../store/code-run-history.ts';
import { previewError, previewValue, type Shown } from './preview-value.ts';

/** A call of a run as people may see it. */
export interface CallPreview extends Omit<CallOfHistory, 'outcome' | 'inputPreview' | 'callNumber'> {
  /** Its place among all that the code asked for, timers too, from 1. */
  number: number;
  /** Null while it has not ended. */
  durationMs: number | null;
  input: { is: Shown; value: Record<string, unknown> | null };
  output: { is: Shown; value: unknown };
  error: Pick<CallError, 'code' | 'message'> | null;
}

interface Reading {
  approvals: readonly Approval[];
  /** Ids of approvals whose matter is not for the reader. */
  hidden: ReadonlySet<string>;
  /** Values that show nowhere; undefined where they are too many to be looked for. */
  hide: readonly string[] | undefined;
  isKept: boolean;
}

/** Characters of all outcomes together that are looked at: each takes time, and others wait. */
const MAX_READ = 500_000;
/** One preview reads no further. */
const MAX_READ_OF_ONE = 50_000;

/**
 * Previews the calls of a run, one after the other, letting others have their turn between. What a call that is hidden answered may be in whatever the
 * program asked for after it: of those calls no more is shown than that they were made.
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

/** An end that was only noticed later says nothing of how long the call took. */
function durationOf({ status, startedAt, finishedAt }: CallOfHistory): number | null {
  const hasEnded = status === 'succeeded' || status === 'failed';
  return hasEnded && finishedAt ? Math.max(0, finishedAt.getTime() - startedAt.getTime()) : null;
}

/** Of a call of before, what its approval shows of it. */
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
