import type { Knex } from 'knex';
import { buildIndex } from './build-index.ts';

export const config = { transaction: false };

/**
 * An index that finds people by at least three characters. Each entry starts with eight digits of
 * the organization's id, so a search reads hardly any entries of other organizations.
 * `pg_trgm` would do the same, but is not installed everywhere.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`create or replace function search_parts(org uuid, given text) returns text[] language sql immutable parallel safe as $$
    select array_agg(distinct left(org::text, 8) || substr(lower(given), at, 3))
    from generate_series(1, greatest(length(lower(given)) - 2, 1)) as at
  $$`);
  await buildIndex(
    knex,
    'end_users_search',
    "end_users using gin (search_parts(org_id, external_id || ' ' || coalesce(display_name, '') || ' ' || coalesce(email, '')))",
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index end_users_search');
  await knex.raw('drop function search_parts(uuid, text)');
}
