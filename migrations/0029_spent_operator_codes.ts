import type { Knex } from 'knex';

/** Used operator codes, because each code is valid only once (contract decisions 7). */
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
