import type { Knex } from 'knex';

/**
 * Adds to a call the number in its plan, so that a later pass (execution) of the run cannot use
 * that number again.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table calls add column planned_call integer');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table calls drop column planned_call');
}
