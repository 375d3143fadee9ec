/**
 * Returns rows in the order of the items that a statement read `with ordinality`. `n`: the position
 * of the item, from 1.
 */
export function byPosition<Row extends { n: number }>(length: number, rows: readonly Row[]): (Row | undefined)[] {
  const found = new Array<Row | undefined>(length).fill(undefined);
  for (const row of rows) found[row.n - 1] = row;
  return found;
}

/**
 * SQL: a condition that is always true, for prepared statements that look up a list `asked`. With
 * it, Postgres expects one item instead of ten, and keeps its plan.
 */
export const EXPECT_ONE_ITEM = 'asked.n * 1 = asked.n';
