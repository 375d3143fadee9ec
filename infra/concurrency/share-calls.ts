import { type BatchOptions, batchCalls } from './batch-calls.ts';

/**
 * Calls with the same key that are waiting at the same time share one run of their work, which
 * starts after all of them have arrived. A call that arrives alone starts at once. Nothing is kept:
 * a later call sees what has changed meanwhile. With `maxWaitMs`, no call waits longer for a run of
 * others.
 */
export function shareCalls<Result>(options: BatchOptions = {}): (key: string, work: () => Promise<Result>) => Promise<Result> {
  const shared = new Map<string, { run: (work: () => Promise<Result>) => Promise<Result>; callers: number }>();
  const open = () => ({
    run: batchCalls<() => Promise<Result>, Result>(async ([work]) => {
      const result = await work!();
      return () => result;
    }, options),
    callers: 0,
  });
  return async (key, work) => {
    const entry = shared.get(key) ?? open();
    shared.set(key, entry);
    entry.callers += 1;
    try {
      return await entry.run(work);
    } finally {
      entry.callers -= 1;
      if (entry.callers === 0) shared.delete(key);
    }
  };
}
