import type { Knex } from 'knex';

/**
 * Connect tokens that also show the end user's pending approvals. Older tokens do not: their
 * issuers may not be allowed to decide.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table connect_tokens add column may_review boolean not null default false');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table connect_tokens drop column may_review');
}
