import type { Db } from '../../infra/database.ts';

/** The number of rows and a hash over the rows, by table. */
export type TableContents = Record<string, string>;

/**
 * Returns a function that summarizes the current contents of all tables. Leaves out the tables of
 * migrations. Also leaves out the columns in `except`, such as `api_keys.last_used_at`.
 */
export async function openTableContents(db: Db, except: readonly string[]): Promise<() => Promise<TableContents>> {
  const { rows } = await db.raw(
    `select table_name as "table", string_agg(quote_ident(column_name), ', ' order by ordinal_position) as columns
     from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_schema = 'public' and table_type = 'BASE TABLE' and table_name || '.' || column_name <> all(?) and table_name not like 'schema\\_%'
     group by table_name`,
    [[...except]],
  );
  const contents = (rows as { table: string; columns: string }[]).map(
    ({ table, columns }) =>
      `select '${table}' as name, count(*) || ' rows, ' || coalesce(sum(hashtextextended(row(${columns})::text, 0)), 0) as held from "${table}"`,
  );
  return async () => {
    const read = await db.raw(contents.join(' union all '));
    return Object.fromEntries(read.rows.map(({ name, held }: { name: string; held: string }) => [name, held]));
  };
}

/** The row to copy, the number of copies, and the columns that differ. */
export interface Copies {
  table: string;
  id: string;
  count: number;
  /**
   * SQL expressions of the columns that differ, by column name. `n` counts the copies from 1.
   * Columns of unique keys, such as the id, must differ.
   */
  changes: Record<string, string>;
}

/** Inserts copies of a row, and returns their ids. */
export async function copyRow(db: Db, { table, id, count, changes }: Copies): Promise<string[]> {
  // Generated columns are left out: Postgres refuses to write them.
  const written = { table_schema: 'public', table_name: table, is_generated: 'NEVER', identity_generation: null };
  const columns: string[] = await db('information_schema.columns').where(written).pluck('column_name');
  const values = columns.map((column) => changes[column] ?? `original.${column}`);
  const { rows } = await db.raw(
    `insert into ${table} (${columns.join(', ')}) select ${values.join(', ')}
     from ${table} original, generate_series(1, :count) n where original.id = :id returning id`,
    { id, count },
  );
  return rows.map((row: { id: string }) => row.id);
}
