import type { Knex } from 'knex';

/** Adds whether an API key may manage owners. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table api_keys add column manages_owners boolean not null default true');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table api_keys drop column manages_owners');
}
