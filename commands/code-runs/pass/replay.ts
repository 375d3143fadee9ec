import type { CallError, CallOutcome } from '../../../domain/call.ts';
import type { Completion } from '../../../sandbox/host/pass.ts';
import { PassReplacedError } from '../../../store/fence.ts';
import type { Journal, JournalCall } from '../../../store/journal.ts';
import { openOutcome, type RecordedAnswer } from '../../../store/journal-outcomes.ts';

/** An answer that an earlier pass delivered. Every pass delivers these answers by `order`. */
export interface RecordedCompletion {
  order: number;
  number: number;
  /** Call this once for each answer, in the recorded order. */
  open(): Promise<Completion>;
}

/**
 * The answers in the journal, in the order of delivery. Only one chunk of outcomes is in memory at
 * a time.
 */
export function replayOf(
  { calls, timers }: Journal,
  listOutcomes: (callIds: readonly string[]) => Promise<Map<string, Buffer>>,
): RecordedCompletion[] {
  const answered = calls
    .filter((call) => call.outcomeBytes !== null && call.completionNumber !== null)
    .sort((a, b) => a.completionNumber! - b.completionNumber!);
  const outcomeOf = outcomeReader(answered, listOutcomes);
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

const CHUNK_BYTES = 2 * 1024 * 1024;

/**
 * A function that reads the outcome of one of these calls. Throws PassReplacedError if the outcome
 * is gone.
 */
export function outcomeReader(calls: readonly JournalCall[], listOutcomes: Parameters<typeof replayOf>[1]) {
  const places = new Map(calls.map(({ id }, place) => [id, place]));
  let next = 0;
  let chunk = new Map<string, Buffer>();
  return async ({ id }: JournalCall): Promise<RecordedAnswer> => {
    if (!chunk.has(id)) {
      const place = places.get(id)!;
      const end = place === next ? endOfChunk(calls, place) : place + 1;
      chunk = await listOutcomes(calls.slice(place, end).map((call) => call.id));
      next = end;
    }
    const stored = chunk.get(id);
    if (!stored) throw new PassReplacedError('the record of the run is gone');
    chunk.delete(id);
    return openOutcome(stored);
  };
}

function endOfChunk(calls: readonly JournalCall[], first: number): number {
  let bytes = 0;
  let end = first;
  while (end < calls.length && (end === first || bytes + calls[end]!.outcomeBytes! <= CHUNK_BYTES)) bytes += calls[end++]!.outcomeBytes!;
  return end;
}

const NOTHING: RecordedAnswer = { ok: true, value: 'null' };

const MAX_DETAILS_LENGTH = 64 * 1024;

function boundedDetails(details: CallError['details']): CallError['details'] {
  return details && JSON.stringify(details).length <= MAX_DETAILS_LENGTH ? details : undefined;
}

/** The answer to a call that was made now, in the same form as from the journal. */
export function answerOf(outcome: CallOutcome): RecordedAnswer {
  return outcome.ok ? { ok: true, value: JSON.stringify(outcome.output ?? null) } : outcome;
}

/** The answer to a call or a timer in the form that the code gets. */
export function toCompletion(number: number, now: Date, answer: RecordedAnswer = NOTHING): Completion {
  if (answer.ok) return { number, now: now.getTime(), ok: true, value: answer.value };
  const { code, message, details } = answer.error;
  return { number, now: now.getTime(), ok: false, error: { code, message, details: boundedDetails(details) } };
}
