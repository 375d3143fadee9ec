import type { Db } from '../../../infra/database.ts';

/** Returns for each table the number and a hash of the rows that contain one of these ids. */
export async function mentionsOf(db: Db, ids: readonly string[]): Promise<Record<string, string>> {
  const tables: { name: string }[] = (
    await db.raw(
      `select table_name as name from information_schema.tables
       where table_schema = 'public' and table_type = 'BASE TABLE' and table_name not like 'schema\\_%'`,
    )
  ).rows;
  const read = tables.map(
    ({ name }) =>
      `select '${name}' as name, count(*) || ' rows, ' || coalesce(sum(hashtextextended(t::text, 0)), 0) as held
       from "${name}" t, mentioned where t::text ~ mentioned.pattern`,
  );
  const { rows } = await db.raw(`with mentioned as (select ?::text as pattern) ${read.join(' union all ')}`, [ids.join('|')]);
  return Object.fromEntries(rows.map(({ name, held }: { name: string; held: string }) => [name, held]));
}
