import type { Db } from '../../infra/database.ts';

/** Which row is copied, how often, and what differs. */
export interface Copies {
  table: string;
  id: string;
  count: number;
  /** SQL of the values that differ, by column. `n` counts the copies from 1. */
  changes: Record<string, string>;
}

/** Inserts copies of a row, and returns their ids. */
export async function copyRow(db: Db, { table, id, count, changes }: Copies): Promise<string[]> {
  // Generated columns cannot be written.
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
