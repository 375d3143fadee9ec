export interface BatchOptions {
  /**
   * In ms. Items that wait longer for the running batch start a parallel batch. Default: one batch
   * at a time.
   */
  maxWaitMs?: number;
}

/**
 * Turns a function of many items into a function of one item. Items that arrive while a batch runs
 * form the next batch. `work` resolves to a function that returns or throws an item's result.
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
