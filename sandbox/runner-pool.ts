import type { Runner } from './launch-runner.ts';

export interface RunnerPool {
  /** A runner that nobody else gets: one started ahead, else a new one. Rejects when none can be started. */
  take(): Promise<Runner>;
  /** Ends the runners that wait and starts no more. */
  close(): Promise<void>;
}

const REFILL_AFTER_MS = 40;

/** Keeps `size` runners started ahead. A runner is never given back: who took it ends it. */
export function openRunnerPool(size: number, launch: () => Promise<Runner>): RunnerPool {
  const ahead: Promise<Runner>[] = [];
  let isClosed = false;
  let later: NodeJS.Timeout | undefined;

  const refill = () => {
    while (!isClosed && ahead.length < size) {
      const start = launch();
      // Nobody may ask for it for hours; who does, hears of a failure by starting one anew.
      start.catch(() => {});
      ahead.push(start);
    }
  };
  const takeAhead = async (): Promise<Runner | undefined> => {
    const runner = await ahead.shift()?.catch(() => undefined);
    return runner?.isGone() ? undefined : runner;
  };

  refill();
  return {
    async take() {
      if (isClosed) throw new Error('the sandbox is closed');
      const taken = takeAhead();
      // Starting a process takes both cores for a moment; the pass that is about to begin, and its answer, should not wait for that.
      later ??= setTimeout(() => {
        later = undefined;
        refill();
      }, REFILL_AFTER_MS);
      return (await taken) ?? launch();
    },
    async close() {
      isClosed = true;
      clearTimeout(later);
      for (const start of await Promise.allSettled(ahead)) {
        if (start.status === 'rejected') continue;
        start.value.kill();
        await start.value.exited;
      }
    },
  };
}
