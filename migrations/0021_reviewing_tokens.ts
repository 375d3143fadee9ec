import type { Knex } from 'knex';

/**
 * Marks connect tokens whose page also shows pending approvals. Older tokens are not marked,
 * because their issuers may lack the permission to decide.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table connect_tokens add column may_review boolean not null default false');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table connect_tokens drop column may_review');
}
