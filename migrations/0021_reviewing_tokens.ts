import type { Knex } from 'knex';

/** Connect tokens that also open what waits for their end user's decision; those of before do not: whoever asked for them may not decide. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table connect_tokens add column may_review boolean not null default false');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table connect_tokens drop column may_review');
}
