import type { Knex } from 'knex';

/** Adds the values that an account's owner enters before consent. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table connect_sessions add column consent_props jsonb');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table connect_sessions drop column consent_props');
}
