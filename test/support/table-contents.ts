import type { Db } from '../../infra/database.ts';

/** The contents of every table, by name: its number of rows, and a hash of them. */
export type TableContents = Record<string, string>;

/**
 * Returns a function that reads the current contents of the tables, without the named columns, such
 * as `api_keys.last_used_at`.
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
