/**
 * Returns rows in the order of the items that a statement read `with ordinality`, and undefined for
 * each item that has no row. `n` is the position of the row's item, from 1.
 */
export function byPosition<Row extends { n: number }>(length: number, rows: readonly Row[]): (Row | undefined)[] {
  const found = new Array<Row | undefined>(length).fill(undefined);
  for (const row of rows) found[row.n - 1] = row;
  return found;
}

/**
 * SQL of a condition that is always true. A prepared statement that looks up a list of items `with
 * ordinality`, named `asked`, needs this condition to keep its plan. Without the condition,
 * Postgres expects ten items in a list that it does not see. A new plan for each execution then
 * looks cheaper in large tables, but planning takes longer than the look-up. With the condition,
 * Postgres expects one item in each list.
 */
export const EXPECT_ONE_ITEM = 'asked.n * 1 = asked.n';
