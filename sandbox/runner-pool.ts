import type { Runner } from './launch-runner.ts';

export interface RunnerPool {
  /** A runner that nobody else gets: one started ahead, else a new one. Rejects when none can be started. */
  take(): Promise<Runner>;
  /** Ends the runners that wait and starts no more. */
  close(): Promise<void>;
}

export interface PoolSize {
  /** Runners kept started ahead at rest, */
  least: number;
  /** and when many were wanted at once lately. */
  most: number;
  /** After so long without such demand one less is kept. Default: half a minute. */
  calmMs?: number;
}

/** Starting a process takes both cores for a moment: a pass of ordinary length goes first, */
const REFILL_AFTER_MS = 100;
/** and so does its answer. */
const REFILL_AFTER_PASS_MS = 15;
/** One that ended while it waited is replaced, not so soon that a machine on which all of them end does nothing else. */
const REPLACE_AFTER_MS = 1000;

/**
 * Keeps runners started ahead: one more each time that somebody found none, one less when it has been calm for a while. One that ends while it
 * waits is replaced. A runner is never given back: who took it ends it.
 */
export function openRunnerPool({ least, most, calmMs = 30_000 }: PoolSize, launch: () => Promise<Runner>): RunnerPool {
  const ahead: Promise<Runner>[] = [];
  let size = least;
  let isClosed = false;
  let later: NodeJS.Timeout | undefined;
  let calm: NodeJS.Timeout | undefined;

  const refill = () => {
    while (!isClosed && ahead.length < size) {
      const start = launch();
      ahead.push(start);
      // Nobody may ask for it for hours; who does, hears of a failure by starting one anew.
      start.then((runner) => runner.exited.then(() => replace(start))).catch(() => {});
    }
  };
  const refillIn = (delayMs: number) => {
    later ??= setTimeout(() => {
      later = undefined;
      refill();
    }, delayMs);
  };
  const replace = (ended: Promise<Runner>) => {
    const index = ahead.indexOf(ended);
    if (index < 0 || isClosed) return;
    ahead.splice(index, 1);
    refillIn(REPLACE_AFTER_MS);
  };

  const grow = () => {
    if (size === most) return;
    size += 1;
    calm?.refresh();
    calm ??= setInterval(shrink, calmMs).unref();
  };
  const shrink = () => {
    size -= 1;
    if (size === least) {
      clearInterval(calm);
      calm = undefined;
    }
    for (const start of ahead.splice(size)) void end(start);
  };

  const takeAhead = async (): Promise<Runner | undefined> => {
    const runner = await ahead.shift()?.catch(() => undefined);
    return runner?.isGone() ? undefined : runner;
  };

  refill();
  return {
    async take() {
      if (isClosed) throw new Error('the sandbox is closed');
      if (ahead.length === 0) grow();
      const taken = takeAhead();
      refillIn(REFILL_AFTER_MS);
      const runner = (await taken) ?? (await launch());
      void runner.exited.then(() => setTimeout(refill, REFILL_AFTER_PASS_MS));
      return runner;
    },
    async close() {
      isClosed = true;
      clearTimeout(later);
      clearInterval(calm);
      await Promise.all(ahead.map(end));
    },
  };
}

async function end(start: Promise<Runner>): Promise<void> {
  const runner = await start.catch(() => undefined);
  runner?.kill();
  await runner?.exited;
}
