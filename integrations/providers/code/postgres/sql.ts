import { ActionError } from '../../../definition.ts';
import type { Statement } from './statement.ts';

/** A table or view. A name without a schema is looked up in the search path of the account. */
export interface TableInput {
  schema?: string;
  table: string;
}

export interface Filter {
  column: string;
  operator: string;
  value?: unknown;
}

type Row = Readonly<Record<string, unknown>>;

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function tableName({ schema, table }: TableInput): string {
  return (schema === undefined ? [table] : [schema, table]).map(quoted).join('.');
}

function columnsOf(names: readonly string[]): string {
  return names.map((name) => (name === '*' ? '_t.*' : `_t.${quoted(name)}`)).join(', ');
}

/**
 * The WHERE clause; empty without filters. Adds the filters' values to `values`. Throws ActionError
 * for a value that does not fit its operator.
 */
export function whereOf(filters: readonly Filter[], values: unknown[]): string {
  const conditions = filters.map(({ column, operator, value }) => {
    const name = `_t.${quoted(column)}`;
    if (operator === 'IS NULL' || operator === 'IS NOT NULL') return `${name} ${operator}`;
    if (value === undefined || value === null)
      throw new ActionError(`The filter of ${column} needs a value: ${operator} does not compare with null.`);
    if ((operator === 'IN') !== Array.isArray(value))
      throw new ActionError(`The filter of ${column} needs ${operator === 'IN' ? 'a list of values' : 'a single value'}.`);
    const place = `$${values.push(value)}`;
    if (operator === 'IN') return `${name} = ANY(${place})`;
    return operator.endsWith('LIKE') ? `${name}::text ${operator} ${place}` : `${name} ${operator} ${place}`;
  });
  return conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : '';
}

export function selectRows(
  input: TableInput & { columns?: string[]; filters?: Filter[]; order_by?: { column: string; direction?: string }[] },
  { limit, offset }: { limit: number; offset: number },
): Statement {
  const { columns = ['*'], filters = [], order_by: order = [] } = input;
  const values: unknown[] = [];
  const where = whereOf(filters, values);
  const orderBy = order.map(({ column, direction = 'ASC' }) => `_t.${quoted(column)} ${direction}`).join(', ');
  const page = ` LIMIT $${values.push(limit)} OFFSET $${values.push(offset)}`;
  return { text: `SELECT ${columnsOf(columns)} FROM ${tableName(input)} AS _t${where}${orderBy && ` ORDER BY ${orderBy}`}${page}`, values };
}

/**
 * Inserts rows. With `key`, a row updates the existing row that has the same values in these
 * columns.
 */
export function insertRows(input: TableInput & { rows: Row[]; returning?: string[] }, key?: readonly string[]): Statement {
  const { rows, returning } = input;
  const columns = sameColumns(rows);
  const names = columns.map(quoted).join(', ');
  const table = tableName(input);
  const from = `SELECT ${columns.map((name) => `_r.${quoted(name)}`).join(', ')} FROM json_populate_recordset(NULL::${table}, $1::json) AS _r`;
  const changed = columns.filter((name) => !key?.includes(name)).map((name) => `${quoted(name)} = EXCLUDED.${quoted(name)}`);
  const conflict = key
    ? ` ON CONFLICT (${key.map(quoted).join(', ')}) DO ${changed.length > 0 ? `UPDATE SET ${changed.join(', ')}` : 'NOTHING'}`
    : '';
  return { text: `INSERT INTO ${table} AS _t (${names}) ${from}${conflict}${returningOf(returning)}`, values: [JSON.stringify(rows)] };
}

export function updateRows(input: TableInput & { changes: Row; filters: Filter[]; returning?: string[] }): Statement {
  const { changes, filters, returning } = input;
  const table = tableName(input);
  const values: unknown[] = [JSON.stringify(changes)];
  const set = Object.keys(changes).map((name) => `${quoted(name)} = _r.${quoted(name)}`);
  const where = whereOf(filters, values);
  const from = `FROM json_populate_record(NULL::${table}, $1::json) AS _r`;
  return { text: `UPDATE ${table} AS _t SET ${set.join(', ')} ${from}${where}${returningOf(returning)}`, values };
}

export function deleteRows(input: TableInput & { filters: Filter[]; returning?: string[] }): Statement {
  const values: unknown[] = [];
  const where = whereOf(input.filters, values);
  return { text: `DELETE FROM ${tableName(input)} AS _t${where}${returningOf(input.returning)}`, values };
}

function returningOf(columns: readonly string[] = []): string {
  return columns.length > 0 ? ` RETURNING ${columnsOf(columns)}` : '';
}

/**
 * Returns the columns of the rows. Throws ActionError if the rows have different columns, because a
 * missing column would become null instead of its default.
 */
function sameColumns(rows: readonly Row[]): string[] {
  const columns = Object.keys(rows[0]!);
  const wanted = [...columns].sort().join('\0');
  const other = rows.findIndex((row) => Object.keys(row).sort().join('\0') !== wanted);
  if (other < 0) return columns;
  throw new ActionError(`All rows need the same columns, and row ${other + 1} has other columns than the first row.`);
}
