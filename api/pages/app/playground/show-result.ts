import type { CallAnswer } from '../../../../commands/calls/run-call.ts';
import type { CallError } from '../../../../domain/call.ts';
import { type ShownValue, showValue } from '../../layout/show-value.ts';

/** The data of the template `playground/result`. */
export interface ResultView {
  lead: string;
  tone: 'good' | 'bad' | 'waiting';
  value: ShownValue | undefined;
  left: string | undefined;
  /** The approval that the call or program waits for. */
  approvalId: string | undefined;
}

/** In characters of JSON. */
const MAX_LENGTH = 200_000;

/** Describes the answer to a call. */
export function callResult(answer: CallAnswer): ResultView {
  if (answer.kind === 'approval_required') return waitingResult(answer.approval.id);
  const { outcome } = answer;
  if (!outcome.ok) return errorResult(outcome.error);
  const took = outcome.durationMs === undefined ? '' : ` in ${outcome.durationMs.toLocaleString('en')} ms`;
  return { lead: `It ran${took}.`, tone: 'good', ...shownOutput(outcome.output), approvalId: undefined };
}

/** Describes a call that waits for an approval. */
export function waitingResult(approvalId: string | undefined): ResultView {
  return { lead: 'The call waits for an approval. Nothing was sent yet.', tone: 'waiting', value: undefined, left: undefined, approvalId };
}

/** Describes an error. Leaves out `connectUrl`, with which anybody could connect an account. */
export function errorResult({ code, message, details }: CallError): ResultView {
  const { connectUrl: _, ...shown } = details ?? {};
  const hasDetails = Object.keys(shown).length > 0;
  const { value, left } = hasDetails ? shownOutput(shown) : { value: undefined, left: undefined };
  return { lead: `${code}: ${message}`, tone: 'bad', value, left, approvalId: undefined };
}

/** Cuts a value that is too large to show. */
export function shownOutput(output: unknown): Pick<ResultView, 'value' | 'left'> {
  const text = JSON.stringify(output) ?? 'null';
  if (text.length > MAX_LENGTH) {
    const { shown } = showValue(text.slice(0, MAX_LENGTH), 'Output');
    return { value: shown, left: `The first ${count(MAX_LENGTH)} of ${count(text.length)} characters of its JSON are shown.` };
  }
  const { shown, omitted } = showValue(output, 'Output');
  return { value: shown, left: omitted > 0 ? `${count(omitted)} more values are not shown.` : undefined };
}

const count = (number: number) => number.toLocaleString('en');
