import type { Knex } from 'knex';

/** The people of all workspaces of an organization, in the order of the list. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('create index end_users_list_of_org on end_users (org_id, created_at, id)');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index end_users_list_of_org');
}
