/**
 * The rows of a statement that reads a list of items `with ordinality`, in the order of the items;
 * undefined for an item without a row. `n` is the position of a row's item, from 1.
 */
export function byPosition<Row extends { n: number }>(length: number, rows: readonly Row[]): (Row | undefined)[] {
  const found = new Array<Row | undefined>(length).fill(undefined);
  for (const row of rows) found[row.n - 1] = row;
  return found;
}

/**
 * SQL of a condition that is always true. A prepared statement that looks up an item list
 * `with ordinality`, named `asked`, needs it to keep its plan. Postgres expects ten items in a list
 * that it does not see. So a plan for the list of each execution would look cheaper in large
 * tables, and planning takes longer than the look-up. With this condition, Postgres expects one
 * item of every list.
 */
export const EXPECT_ONE_ITEM = 'asked.n * 1 = asked.n';
