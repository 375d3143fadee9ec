import type { CallError, CallOutcome } from '../domain/call.ts';
import type { Completion } from '../sandbox/pass.ts';
import { PassReplacedError } from '../store/fence.ts';
import type { Journal, JournalCall } from '../store/journal.ts';
import { openOutcome, type RecordedAnswer } from '../store/journal-outcomes.ts';

/** Something that an earlier pass delivered to the code, to be delivered again in its place. */
export interface RecordedCompletion {
  order: number;
  number: number;
  /** To be asked in the recorded order, once. */
  open(): Promise<Completion>;
}

/** What the journal has, in the order in which it was delivered. Outcomes are read as they are delivered: of a run with large ones, one portion is held. */
export function replayOf(
  { calls, timers }: Journal,
  listOutcomes: (callIds: readonly string[]) => Promise<Map<string, Buffer>>,
): RecordedCompletion[] {
  const answered = calls
    .filter((call) => call.outcomeBytes !== null && call.completionNumber !== null)
    .sort((a, b) => a.completionNumber! - b.completionNumber!);
  const outcomeOf = inPortions(answered, listOutcomes);
  return [
    ...answered.map((call) => {
      const open = async () => toCompletion(call.callNumber!, call.finishedAt!, await outcomeOf(call));
      return { order: call.completionNumber!, number: call.callNumber!, open };
    }),
    ...timers.flatMap(({ number, completionNumber, completedAt }) => {
      const open = async () => toCompletion(number, completedAt!);
      return completionNumber === null ? [] : [{ order: completionNumber, number, open }];
    }),
  ].sort((a, b) => a.order - b.order);
}

/** Bytes of outcomes, as they are stored, that are read together; one that is larger is read alone. */
const PORTION_BYTES = 2 * 1024 * 1024;

/** Opens the outcomes of calls that are asked for in this order. */
function inPortions(calls: readonly JournalCall[], listOutcomes: Parameters<typeof replayOf>[1]) {
  let next = 0;
  let portion = new Map<string, Buffer>();
  return async ({ id }: JournalCall): Promise<RecordedAnswer> => {
    if (!portion.has(id)) {
      const end = endOfPortion(calls, next);
      portion = await listOutcomes(calls.slice(next, end).map((call) => call.id));
      next = end;
    }
    const stored = portion.get(id);
    if (!stored) throw new PassReplacedError('the record of the run is gone');
    portion.delete(id);
    return openOutcome(stored);
  };
}

function endOfPortion(calls: readonly JournalCall[], first: number): number {
  let bytes = 0;
  let end = first;
  while (end < calls.length && (end === first || bytes + calls[end]!.outcomeBytes! <= PORTION_BYTES)) bytes += calls[end++]!.outcomeBytes!;
  return end;
}

const NOTHING: RecordedAnswer = { ok: true, value: 'null' };

const MAX_DETAILS_LENGTH = 64 * 1024;

/** What a failed call says beside its message, as every other caller is told; the code does without what is too long. */
function boundedDetails(details: CallError['details']): CallError['details'] {
  return details && JSON.stringify(details).length <= MAX_DETAILS_LENGTH ? details : undefined;
}

/** What became of a call that was made now, as a record of it would answer. */
export function answerOf(outcome: CallOutcome): RecordedAnswer {
  return outcome.ok ? { ok: true, value: JSON.stringify(outcome.output ?? null) } : outcome;
}

/** The answer to a call or a timer as the code hears of it. */
export function toCompletion(number: number, now: Date, answer: RecordedAnswer = NOTHING): Completion {
  if (answer.ok) return { number, now: now.getTime(), ok: true, value: answer.value };
  const { code, message, details } = answer.error;
  return { number, now: now.getTime(), ok: false, error: { code, message, details: boundedDetails(details) } };
}
