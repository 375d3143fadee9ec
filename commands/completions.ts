import type { Completion } from '../sandbox/pass.ts';
import { PassReplacedError } from '../store/fence.ts';
import { diverged } from './past-events.ts';
import type { RecordedCompletion } from './replay.ts';

/** The order in which a pass hears of what it asked for: first what the journal has, then what happens now, one at a time. */
export interface Completions {
  /** The code asked for this. */
  issued(number: number): void;
  /** Watches a piece of work; what it throws ends the pass. Work that `pauses` is waited for before a gate ends the pass. */
  follow(work: Promise<void>, options: { pauses: boolean }): void;
  /** A call is held at a gate: the pass ends when no other call is under way. */
  gated(): void;
  /** Whether the pass ends for something that was thrown, once no other call is under way. */
  hasFailed(): boolean;
  /** Takes the next place, writes it down with `record`, and only then lets the code hear of it. */
  complete(record: (completionNumber: number, now: Date) => Promise<Completion>): Promise<void>;
  next(): Promise<Completion | 'pause'>;
  /** Resolves when no call is under way. */
  callsEnded(): Promise<void>;
}

export function openCompletions(replay: RecordedCompletion[]): Completions {
  const issued = new Set<number>();
  const ready: Completion[] = [];
  let place = replay.at(-1)?.order ?? 0;
  const calls = new Set<Promise<void>>();
  let underWay = 0;
  let isGated = false;
  let failure: unknown;
  let writing = Promise.resolve();
  let wake = () => {};

  return {
    issued: (number) => void issued.add(number),

    follow(work, { pauses }) {
      if (pauses) underWay += 1;
      const done = work
        .catch((error) => {
          failure ??= error;
        })
        .finally(() => {
          if (pauses) underWay -= 1;
          calls.delete(done);
          wake();
        });
      if (pauses) calls.add(done);
    },

    hasFailed: () => failure !== undefined,

    gated() {
      isGated = true;
    },

    complete(record) {
      const written = writing.then(async () => {
        place += 1;
        ready.push(await record(place, new Date()));
        wake();
      });
      writing = written.catch(() => {}); // each is written down, whatever became of the one before
      return written;
    },

    async next() {
      const recorded = replay.shift();
      if (recorded) {
        if (issued.has(recorded.number)) return recorded.open();
        throw diverged('the code did not ask again for something that was answered');
      }
      for (;;) {
        // What is under way is written down first: the next pass would not know what became of it.
        if (failure && (underWay === 0 || failure instanceof PassReplacedError)) throw failure;
        const live = failure ? undefined : ready.shift();
        if (live) return live;
        if (isGated && underWay === 0) return 'pause';
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },

    async callsEnded() {
      while (calls.size > 0) await Promise.all(calls);
    },
  };
}
