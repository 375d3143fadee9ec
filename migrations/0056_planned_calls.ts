import type { Knex } from 'knex';

/**
 * Adds the number of the predicted call in a plan's approval that a call of a code run used up. A
 * later pass of the run must not use that predicted call again.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table calls add column planned_call integer');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table calls drop column planned_call');
}
