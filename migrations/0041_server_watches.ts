import type { Knex } from 'knex';

/** Adds the lease of the process that listens for changes of an MCP server's tools. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table custom_integrations add column watched_by uuid, add column watched_until timestamptz');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table custom_integrations drop column watched_by, drop column watched_until');
}
