import type { Knex } from 'knex';

/** A cache of the risk model's answers, by policy version and the hash of the call's input. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table risk_assessments (
      org_id uuid not null references orgs on delete cascade,
      policy_id uuid not null,
      policy_version integer not null,
      input_hash text not null,
      score double precision not null check (score between 0 and 1),
      words text not null,
      created_at timestamptz not null default now(),
      primary key (org_id, policy_id, policy_version, input_hash)
    );
    create index risk_assessments_age on risk_assessments (created_at);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table risk_assessments');
}
