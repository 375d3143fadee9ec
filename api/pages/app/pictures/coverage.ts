import { ACTION_CATEGORIES } from '../../../../domain/policies/policy.ts';
import type { Coverage } from '../../../../store/policy-use.ts';
import { DECISION_NAMES, KIND_NAMES } from '../policies/policy-words.ts';
import type { PictureTable } from './picture-table.ts';

/** Sizes are in units of the drawing. */
const NAMES_WIDTH = 84;
const CELL = { width: 80, height: 34 };
const HEAD = 26;
const SIDE = { most: 30, least: 3 };

const COLUMNS = [
  { decision: 'require_approval', name: DECISION_NAMES.require_approval, short: 'Ask' },
  { decision: 'notify_only', name: DECISION_NAMES.notify_only, short: 'Tell' },
  { decision: 'block', name: DECISION_NAMES.block, short: 'Block' },
  { decision: 'auto_approve', name: DECISION_NAMES.auto_approve, short: 'Let through' },
  { decision: null, name: 'No policy', short: 'No policy' },
] as const;

/** The data of the template `pictures/coverage`. The area of a square shows the number of calls. */
export function coverage(counted: readonly Coverage[]) {
  const kinds = [...ACTION_CATEGORIES, ...(counted.some(({ category }) => category === null) ? [null] : [])];
  const callsOf = (kind: Coverage['category'], decision: Coverage['decision']) =>
    counted.find((one) => one.category === kind && one.decision === decision)?.calls ?? 0;
  const most = Math.max(1, ...counted.map(({ calls }) => calls));
  const rows = kinds.map((kind, row) => ({
    name: kind === null ? 'Unknown' : KIND_NAMES[kind],
    y: HEAD + row * CELL.height + CELL.height / 2,
    cells: COLUMNS.map(({ decision, name }, column) => {
      const calls = callsOf(kind, decision);
      const side = calls === 0 ? 0 : Math.max(SIDE.least, Math.sqrt(calls / most) * SIDE.most);
      const middle = { x: NAMES_WIDTH + (column + 0.5) * CELL.width, y: HEAD + (row + 0.5) * CELL.height };
      return { decision: decision ?? 'none', name, calls, side, x: middle.x - side / 2, y: middle.y - side / 2 };
    }),
  }));
  const filled = rows.flatMap(({ name, cells }) => cells.filter(({ calls }) => calls > 0).map((cell) => ({ kind: name, ...cell })));
  const parts = filled.map(({ kind, name, calls }) => `${kind}, ${name}: ${NUMBER.format(calls)}`);
  const table: PictureTable = {
    summary: 'Policy coverage, as a table',
    columns: ['Kind of action', ...COLUMNS.map(({ name }) => name)],
    rows: rows.map(({ name, cells }) => [name, ...cells.map(({ calls }) => NUMBER.format(calls))]),
  };
  return {
    name: `Policy coverage: ${parts.length > 0 ? parts.join('; ') : 'no calls in the last 7 days'}`,
    heads: COLUMNS.map(({ short }, column) => ({ text: short, x: NAMES_WIDTH + (column + 0.5) * CELL.width })),
    rows,
    ...{ width: NAMES_WIDTH + COLUMNS.length * CELL.width, height: HEAD + rows.length * CELL.height },
    table,
  };
}

const NUMBER = new Intl.NumberFormat('en');
