/**
 * Turns a function of many items into one of a single item. Items that arrive while a batch is
 * processed form the next batch. `work` returns the result of each item; an error rejects the
 * whole batch.
 */
export function batchCalls<Item, Result>(work: (items: Item[]) => Promise<(item: Item) => Result>): (item: Item) => Promise<Result> {
  let pending: { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void }[] = [];
  let isRunning = false;

  const run = async () => {
    isRunning = true;
    while (pending.length > 0) {
      const batch = pending;
      pending = [];
      await work(batch.map(({ item }) => item)).then(
        (resultOf) => {
          for (const { item, resolve } of batch) resolve(resultOf(item));
        },
        (error) => {
          for (const { reject } of batch) reject(error);
        },
      );
    }
    isRunning = false;
  };

  return (item) =>
    new Promise((resolve, reject) => {
      pending.push({ item, resolve, reject });
      if (!isRunning) void run();
    });
}
