import type { Knex } from 'knex';

/**
 * The approval of a plan numbers the calls that it permits. Adds to a call of a code run the number
 * that the call used up. A later pass (execution) of the run must not use that number again.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table calls add column planned_call integer');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table calls drop column planned_call');
}
