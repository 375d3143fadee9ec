import { batchCalls } from './batch-calls.ts';

export interface WriteOptions {
  /** Whether a failed statement may have been committed. Its items are then not written again. */
  isLost: (error: unknown) => boolean;
}

/** An item that waits longer for the running statement starts a parallel one. */
const MAX_WAIT_MS = 2;

/**
 * Returns a function that writes one item; concurrent items share a statement. A bad item does not
 * affect the others. `writeAll` must write all or none, and keep the order. Items must be distinct
 * objects.
 */
export function batchWrites<Item extends object, Result>(
  writeAll: (items: readonly Item[]) => Promise<readonly Result[]>,
  { isLost }: WriteOptions,
): (item: Item) => Promise<Result> {
  const writeEach = async (items: readonly Item[]): Promise<(() => Result)[]> => {
    const results: (() => Result)[] = [];
    for (const item of items) results.push(await writeAll([item]).then(([result]) => giving(result!), failing));
    return results;
  };
  const write = async (items: Item[]): Promise<(() => Result)[]> => {
    try {
      return (await writeAll(items)).map((result) => giving(result));
    } catch (error) {
      if (items.length === 1 || isLost(error)) throw error;
      return writeEach(items);
    }
  };
  return batchCalls(
    async (items: Item[]) => {
      const results = await write(items);
      const byItem = new Map(items.map((item, index) => [item, results[index]!]));
      return (item) => byItem.get(item)!();
    },
    { maxWaitMs: MAX_WAIT_MS },
  );
}

function giving<Result>(result: Result): () => Result {
  return () => result;
}

function failing(error: unknown): () => never {
  return () => {
    throw error;
  };
}
