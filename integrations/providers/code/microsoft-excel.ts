import type { ActionCode } from '../../declarative/to-action.ts';
import { textAt, valueAt } from '../../declarative/value-at.ts';

const WORKSHEET = '/me/drive/items/{item_id}/workbook/worksheets/{worksheet_id}';

/**
 * Writes a row below the used range of a sheet. The used range of an empty sheet is its cell A1.
 */
export const appendRow: ActionCode = {
  async run({ input }, send) {
    const { values, ...sheet } = input as { values: unknown[] };
    const query = { $select: 'address,rowCount,values' };
    const used = await send({ path: `${WORKSHEET}/usedRange(valuesOnly=true)`, query }, sheet);
    const row = rowAfter(used.body);
    const address = `A${row}:${columnName(values.length)}${row}`;
    const request = {
      method: 'PATCH' as const,
      path: `${WORKSHEET}/range(address='{address}')`,
      query: { $select: 'address,rowCount,columnCount' },
      json: { values: '{input.values}' },
    };
    return (await send(request, { ...sheet, address, values: [values] })).body;
  },
};

function rowAfter(used: unknown): number {
  const first = Number(/!\$?[A-Z]+\$?(\d+)/.exec(textAt(used, 'address') ?? '')?.[1] ?? 1);
  const count = Number(textAt(used, 'rowCount') ?? 1);
  const isEmpty = count === 1 && [valueAt(used, 'values')].flat(2).every((value) => value === '');
  return isEmpty ? first : first + count;
}

function columnName(number: number): string {
  const rest = (number - 1) % 26;
  const before = (number - 1 - rest) / 26;
  return (before > 0 ? columnName(before) : '') + String.fromCharCode(65 + rest);
}
