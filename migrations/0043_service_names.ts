import type { Knex } from 'knex';

/**
 * Names that built-in integrations have or had. A process adds its own at its first use of the
 * catalogue. After that no import can use such a name.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('create table service_names (name text primary key, since timestamptz not null default now())');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table service_names');
}
