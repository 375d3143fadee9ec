/**
 * Does the same for many at once: what comes while a batch is being worked on is the next batch. `work` answers what to answer each item;
 * what it throws, every item of the batch gets.
 */
export function inBatches<Item, Answer>(work: (items: Item[]) => Promise<(item: Item) => Answer>): (item: Item) => Promise<Answer> {
  let waiting: { item: Item; resolve: (answer: Answer) => void; reject: (error: unknown) => void }[] = [];
  let isWorking = false;

  const run = async () => {
    isWorking = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      await work(batch.map(({ item }) => item)).then(
        (answerOf) => {
          for (const { item, resolve } of batch) resolve(answerOf(item));
        },
        (error) => {
          for (const { reject } of batch) reject(error);
        },
      );
    }
    isWorking = false;
  };

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!isWorking) void run();
    });
}
