/** Does a piece of work for each item, so many side by side; answers all that they answered. */
export async function inLanes<Item, Answer>(
  lanes: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Answer[]>,
): Promise<Answer[]> {
  const left = [...items];
  const answers: Answer[] = [];
  const lane = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) answers.push(...(await work(item)));
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return answers;
}
