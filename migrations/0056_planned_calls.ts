import type { Knex } from 'knex';

/**
 * Which predicted call of a plan's approval a call of a code run used up. A later pass of the run
 * must not use it again.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table calls add column planned_call integer');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table calls drop column planned_call');
}
