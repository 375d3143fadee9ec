import type { Knex } from 'knex';

/** What the owner of an account fills in before consent, such as the name of a shop. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table connect_sessions add column consent_props jsonb');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table connect_sessions drop column consent_props');
}
