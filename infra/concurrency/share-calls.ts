import { type BatchOptions, batchCalls } from './batch-calls.ts';

/**
 * Concurrent calls with the same key share one run of their work, which starts after all of them
 * have arrived. A call that arrives alone starts at once. Nothing is cached, so a later call sees
 * later changes. `maxWaitMs`: a call waits at most this long for a run of others.
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
