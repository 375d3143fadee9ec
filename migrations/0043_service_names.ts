import type { Knex } from 'knex';

/** The names of all integrations that are or were built in. No import can use such a name. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('create table service_names (name text primary key, since timestamptz not null default now())');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table service_names');
}
