import type { Knex } from 'knex';

/**
 * Adds the last segment of an app's redirect URI. Existing apps keep the shared URI, because it is
 * registered at the third party.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table oauth_apps add column callback_id uuid');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table oauth_apps drop column callback_id');
}
