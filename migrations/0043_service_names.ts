import type { Knex } from 'knex';

/**
 * Names that integrations of the service have or had. A process adds its own at its first use of
 * the catalogue; afterwards nobody can import an integration under such a name.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('create table service_names (name text primary key, since timestamptz not null default now())');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table service_names');
}
