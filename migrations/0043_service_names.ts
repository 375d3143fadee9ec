import type { Knex } from 'knex';

/**
 * The names of all integrations that are or were built in. Each process adds the names of its
 * integrations when it first uses the catalogue. No import can use a name in this table.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('create table service_names (name text primary key, since timestamptz not null default now())');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table service_names');
}
