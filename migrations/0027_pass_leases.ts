import type { Knex } from 'knex';

/** A pass that began ahead of its workflow's task keeps that task waiting until then, for as long as it lives. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table code_runs add column leased_until timestamptz');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table code_runs drop column leased_until');
}
