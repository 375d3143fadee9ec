export interface BatchOptions {
  /**
   * Milliseconds that an item waits for the current batch. Then it starts another one in parallel.
   * Default: one batch at a time.
   */
  maxWaitMs?: number;
}

/**
 * Turns a function of many items into one of a single item. An item that arrives alone starts at
 * once. Items that arrive while a batch is processed form the next batch. `work` returns a function
 * that returns the result of an item, or throws to reject this item only; an error of `work`
 * rejects the whole batch.
 */
export function batchCalls<Item, Result>(
  work: (items: Item[]) => Promise<(item: Item) => Result>,
  { maxWaitMs }: BatchOptions = {},
): (item: Item) => Promise<Result> {
  let pending: { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void }[] = [];
  let running = 0;
  let timer: NodeJS.Timeout | undefined;

  const start = async () => {
    clearTimeout(timer);
    timer = undefined;
    const batch = pending;
    pending = [];
    running += 1;
    try {
      const resultOf = await work(batch.map(({ item }) => item));
      for (const { item, resolve, reject } of batch) {
        try {
          resolve(resultOf(item));
        } catch (error) {
          reject(error);
        }
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    running -= 1;
    if (pending.length > 0) void start();
  };

  return (item) =>
    new Promise((resolve, reject) => {
      pending.push({ item, resolve, reject });
      if (running === 0) void start();
      else if (maxWaitMs !== undefined) timer ??= setTimeout(start, maxWaitMs);
    });
}
