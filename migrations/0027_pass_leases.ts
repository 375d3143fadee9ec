import type { Knex } from 'knex';

/** The lease of a pass that started before its workflow's task, which waits for it until then. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table code_runs add column leased_until timestamptz');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table code_runs drop column leased_until');
}
