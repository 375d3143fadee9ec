import type { Knex } from 'knex';

/**
 * The column `fields` summarizes the differences of a change. Adds whether the summary is complete,
 * and a digest of the whole content.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table custom_changes
      add column field_count integer not null default 0,
      add column is_complete boolean not null default false,
      add column content_digest text;
    update custom_changes set field_count = json_array_length(fields);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table custom_changes drop column field_count, drop column is_complete, drop column content_digest');
}
