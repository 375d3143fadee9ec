import type { Knex } from 'knex';

/**
 * Adds the paths of hidden inputs that the organization has preset. Adding a column with a constant
 * default rewrites no row.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw("alter table approvals add column preset_paths text[] not null default '{}'");
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table approvals drop column preset_paths');
}
