import { type BatchOptions, batchCalls } from './batch-calls.ts';

/**
 * Lets concurrent calls with the same key share one execution of `work`. Calls during an execution
 * share the next execution, so every call sees all changes made before the call.
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
