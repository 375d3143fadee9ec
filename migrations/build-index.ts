import type { Knex } from 'knex';

/**
 * Builds an index without blocking writers, outside of a transaction. Rebuilds an invalid index,
 * which an interrupted run leaves behind.
 */
export async function buildIndex(knex: Knex, name: string, definition: string): Promise<void> {
  const { rows } = await knex.raw('select indisvalid as "isValid" from pg_index where indexrelid = to_regclass(?)', [name]);
  if (rows[0]?.isValid) return;
  await knex.raw(`drop index concurrently if exists ${name}`);
  await knex.raw(`create index concurrently ${name} on ${definition}`);
}
