import type { Knex } from 'knex';

/**
 * Operator codes that were used to decide an approval (contract decisions 7), because each code is
 * valid only once. A row is deleted a day after its code expires.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`create table spent_operator_codes (
    id text primary key,
    approval_id text not null,
    expires_at timestamptz not null,
    spent_at timestamptz not null default now()
  )`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table spent_operator_codes');
}
