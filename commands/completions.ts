import type { Completion } from '../sandbox/pass.ts';
import { RunFailure } from './code-run-errors.ts';

/** The order in which a pass hears of what it asked for: first what the journal has, then what happens now, one at a time. */
export interface Completions {
  /** The code asked for this. */
  issued(number: number): void;
  /** Watches a piece of work; what it throws ends the pass. Work that `pauses` is waited for before a gate ends the pass. */
  follow(work: Promise<void>, options: { pauses: boolean }): void;
  /** A call is held at a gate: the pass ends when no other call is under way. */
  gated(): void;
  /** Takes the next place, writes it down with `record`, and only then lets the code hear of it. */
  complete(record: (completionNumber: number, now: Date) => Promise<Completion>): Promise<void>;
  next(): Promise<Completion | 'pause'>;
}

export function openCompletions(replay: { order: number; completion: Completion }[]): Completions {
  const issued = new Set<number>();
  const ready: Completion[] = [];
  let place = replay.at(-1)?.order ?? 0;
  let underWay = 0;
  let isGated = false;
  let failure: unknown;
  let writing = Promise.resolve();
  let wake = () => {};

  return {
    issued: (number) => void issued.add(number),

    follow(work, { pauses }) {
      if (pauses) underWay += 1;
      work
        .catch((error) => {
          failure ??= error;
        })
        .finally(() => {
          if (pauses) underWay -= 1;
          wake();
        });
    },

    gated() {
      isGated = true;
    },

    complete(record) {
      writing = writing.then(async () => {
        place += 1;
        ready.push(await record(place, new Date()));
        wake();
      });
      return writing;
    },

    async next() {
      const recorded = replay.shift();
      if (recorded) {
        if (issued.has(recorded.completion.number)) return recorded.completion;
        throw new RunFailure(
          'CODE_DIVERGED',
          'The code did not repeat what it did before the pause: it did not ask again for something that was answered.',
        );
      }
      for (;;) {
        if (failure) throw failure;
        const live = ready.shift();
        if (live) return live;
        if (isGated && underWay === 0) return 'pause';
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
