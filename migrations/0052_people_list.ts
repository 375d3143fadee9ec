import type { Knex } from 'knex';

/** An index of the end users of an organization, in list order. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('create index end_users_list_of_org on end_users (org_id, created_at, id)');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index end_users_list_of_org');
}
