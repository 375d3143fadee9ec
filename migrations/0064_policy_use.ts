import type { Knex } from 'knex';

/**
 * What the dashboard counts of a call is a column beside its facts, so that counting the calls of a
 * week reads an index only. The columns follow the facts, and are empty once these are deleted.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table calls
      add column facts_category text generated always as (facts ->> 'category') stored,
      add column facts_decision text generated always as (facts -> 'decidedBy' ->> 'decision') stored,
      add column facts_policy_id uuid generated always as ((facts -> 'decidedBy' ->> 'policyId')::uuid) stored;
    alter table approvals add column facts_category text generated always as (facts ->> 'category') stored;
    create index calls_policy_use on calls (org_id, started_at)
      include (workspace_id, facts_policy_id, facts_decision, facts_category) where facts is not null;
    create index approvals_policy_use on approvals (org_id, created_at)
      include (workspace_id, policy_id, facts_category) where code_run_id is null and status <> 'consumed';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index calls_policy_use, approvals_policy_use;
    alter table approvals drop column facts_category;
    alter table calls drop column facts_category, drop column facts_decision, drop column facts_policy_id;
  `);
}
