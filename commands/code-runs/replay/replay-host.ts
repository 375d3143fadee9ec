import type { Completion, PassHost, SandboxEvent } from '../../../sandbox/host/pass.ts';
import type { Journal, JournalCall } from '../../../store/journal.ts';
import { hashJson } from '../../calls/hash-call.ts';
import { outcomeReader, type replayOf, toCompletion } from '../pass/replay.ts';
import { type RecordedPlace, recordedOrder } from './recorded-order.ts';

type CallEvent = Extract<SandboxEvent, { kind: 'call' }>;

/** A call that the replayed code made. */
export interface ReplayedCall extends Pick<CallEvent, 'alias' | 'action' | 'line' | 'column'> {
  /** The recorded call with the same action and input. Undefined if no such call is left. */
  record: JournalCall | undefined;
  /** True if the code got the recorded answer. */
  isAnswered: boolean;
  /** The input, stored only for calls without a record, up to `KEPT_INPUTS_LENGTH` in all. */
  input: unknown;
  isInputKept: boolean;
}

/** Characters of JSON of all stored inputs. */
const KEPT_INPUTS_LENGTH = 500_000;

interface Due {
  number: number;
  atMs: number;
  /** The position among the recorded answers and timers. Infinite for a timer without a record. */
  rank: number;
  /** The clock of the run when the event is answered, in epoch milliseconds. */
  now: number;
  call?: { made: ReplayedCall; record: JournalCall };
}

/**
 * Answers replayed code only from the journal of a run, so the code can make no real call. Answers
 * come in the recorded order, and timers fire in virtual time.
 */
export class ReplayHost implements PassHost {
  /** The calls in the order in which the code made them. */
  readonly calls: ReplayedCall[] = [];
  readonly #calls: Map<string, JournalCall[]>;
  readonly #timers: Map<number, RecordedPlace[]>;
  readonly #places: Map<JournalCall, RecordedPlace & { rank: number }>;
  readonly #ranks: Map<RecordedPlace, number>;
  readonly #readOutcome: ReturnType<typeof outcomeReader>;
  readonly #due: Due[] = [];
  #runningMs = 0;
  #now: number;
  #room = KEPT_INPUTS_LENGTH;

  /** `startedAt`: when the clock of the run started, in epoch milliseconds. */
  constructor(journal: Journal, startedAt: number, listOutcomes: Parameters<typeof replayOf>[1]) {
    const order = recordedOrder(journal);
    this.#now = startedAt;
    this.#ranks = new Map(order.map((place, rank) => [place, rank]));
    this.#places = new Map(order.flatMap((place, rank) => ('call' in place.event ? [[place.event.call, { ...place, rank }]] : [])));
    this.#calls = Map.groupBy(journal.calls, ({ requestHash }) => requestHash ?? '');
    const timers = order.filter(({ event }) => 'timer' in event).sort((one, other) => numberOf(one) - numberOf(other));
    this.#timers = Map.groupBy(timers, ({ event }) => ('timer' in event ? event.timer.delayMs : 0));
    this.#readOutcome = outcomeReader([...this.#places.keys()], listOutcomes);
  }

  onEvents(events: SandboxEvent[]): void {
    for (const event of events) event.kind === 'call' ? this.#makeCall(event) : this.#setTimer(event);
  }

  async nextCompletion(): Promise<Completion | 'pause'> {
    const next = this.#takeEarliest();
    if (!next) return 'pause';
    this.#runningMs = Math.max(this.#runningMs, next.atMs);
    this.#now = Math.max(this.#now, next.now);
    const now = new Date(this.#now);
    if (!next.call) return toCompletion(next.number, now);
    next.call.made.isAnswered = true;
    return toCompletion(next.number, now, await this.#readOutcome(next.call.record));
  }

  #makeCall({ number, alias, action, line, column, input: json }: CallEvent): void {
    const input: unknown = JSON.parse(json);
    const record = this.#calls.get(hashJson([alias, action, input]))?.shift();
    const isInputKept = !record && json.length <= this.#room;
    if (isInputKept) this.#room -= json.length;
    const made: ReplayedCall = { alias, action, line, column, record, isAnswered: false, input: isInputKept ? input : null, isInputKept };
    this.calls.push(made);
    const place = record && this.#places.get(record);
    if (place) this.#due.push({ number, atMs: place.atMs, rank: place.rank, now: place.now!, call: { made, record } });
  }

  /** A timer fires at its recorded place. A timer without a record fires after its delay. */
  #setTimer({ number, delayMs }: Extract<SandboxEvent, { kind: 'timer' }>): void {
    const place = this.#timers.get(delayMs)?.shift();
    const later = { atMs: this.#runningMs + delayMs, now: this.#now + delayMs };
    if (!place) this.#due.push({ number, rank: Number.POSITIVE_INFINITY, ...later });
    else this.#due.push({ number, atMs: place.atMs, rank: this.#ranks.get(place)!, now: place.now ?? later.now });
  }

  #takeEarliest(): Due | undefined {
    const [first, ...others] = this.#due;
    if (!first) return undefined;
    const earliest = others.reduce((best, due) => ((due.atMs - best.atMs || compareRanks(due, best)) < 0 ? due : best), first);
    this.#due.splice(this.#due.indexOf(earliest), 1);
    return earliest;
  }
}

function numberOf({ event }: RecordedPlace): number {
  return 'timer' in event ? event.timer.number : event.call.callNumber!;
}

function compareRanks(one: Due, other: Due): number {
  return one.rank === other.rank ? one.number - other.number : one.rank - other.rank;
}
