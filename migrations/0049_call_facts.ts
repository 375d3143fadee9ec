import type { Knex } from 'knex';

/**
 * Adds the facts of a call. A call that waits for a decision may have no row in `calls` yet, so its
 * approval keeps the facts.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table calls add column facts jsonb;
    alter table approvals add column facts jsonb;
    create index calls_kept_facts on calls (started_at) where facts is not null;
    create index approvals_kept_facts on approvals (created_at) where facts is not null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index calls_kept_facts, approvals_kept_facts;
    alter table calls drop column facts;
    alter table approvals drop column facts;
  `);
}
