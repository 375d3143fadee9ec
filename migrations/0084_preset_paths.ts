import type { Knex } from 'knex';

/**
 * The hidden inputs of an approval that the organization has preset, so that its page need not call
 * them secret. A constant default rewrites no row.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw("alter table approvals add column preset_paths text[] not null default '{}'");
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table approvals drop column preset_paths');
}
