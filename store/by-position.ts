/**
 * The rows of a statement that reads a list of items `with ordinality`, in the order of the items;
 * undefined for an item without a row. `n` is the position of a row's item, from 1.
 */
export function byPosition<Row extends { n: number }>(length: number, rows: readonly Row[]): (Row | undefined)[] {
  const found = new Array<Row | undefined>(length).fill(undefined);
  for (const row of rows) found[row.n - 1] = row;
  return found;
}
