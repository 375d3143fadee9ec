/**
 * Returns rows in the order of the items that a statement read `with ordinality`. The result is
 * undefined for an item without a row. `n` is the position of the row's item, from 1.
 */
export function byPosition<Row extends { n: number }>(length: number, rows: readonly Row[]): (Row | undefined)[] {
  const found = new Array<Row | undefined>(length).fill(undefined);
  for (const row of rows) found[row.n - 1] = row;
  return found;
}

/**
 * SQL of a condition that is always true. For prepared statements that look up a list `asked`, read
 * `with ordinality`. With the condition, Postgres expects one item in the list and keeps its plan.
 * Without the condition, Postgres expects ten items. A new plan for each execution then looks
 * cheaper in large tables, but planning takes longer than the look-up.
 */
export const EXPECT_ONE_ITEM = 'asked.n * 1 = asked.n';
