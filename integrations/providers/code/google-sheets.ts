import type { ActionCode } from '../../declarative/to-action.ts';

interface ValueRange {
  range: string;
  values?: unknown[][];
}

/** The rows that have a cell with the value, ignoring case. */
export const findRows: ActionCode = {
  answer({ body, input }) {
    const { range, values = [] } = body as ValueRange;
    const wanted = String(input.value).toLowerCase();
    const first = Number(/!?\$?[A-Z]*\$?(\d+)(?::[^:!]*)?$/.exec(range)?.[1] ?? 1);
    const rows = values.map((cells, index) => ({ row: first + index, values: cells }));
    return { range, rows: rows.filter((row) => row.values.some((cell) => String(cell).toLowerCase() === wanted)) };
  },
};
