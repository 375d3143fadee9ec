import type { Knex } from 'knex';

/**
 * Adds columns by which the dashboard counts calls. Adding these columns rewrites no table.
 * `0071_policy_use_index.ts` fills them.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table calls add column facts_category text, add column facts_decision text, add column facts_policy_id uuid;
    alter table approvals add column facts_category text;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table approvals drop column facts_category;
    alter table calls drop column facts_category, drop column facts_decision, drop column facts_policy_id;
  `);
}
