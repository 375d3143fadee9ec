import type { Knex } from 'knex';

/** Adds to a call the number of the advisory lock that the calling process holds. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table calls add column process_lock bigint;
    create index calls_executing on calls (started_at) where status = 'executing' and process_lock is not null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table calls drop column process_lock');
}
