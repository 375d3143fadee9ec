import type { Knex } from 'knex';

/** Indexes of an organization's deliveries, newest first. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create index webhook_deliveries_list on webhook_deliveries (org_id, number desc);
    create index webhook_deliveries_failed on webhook_deliveries (org_id, number desc) where status = 'failed';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index webhook_deliveries_list, webhook_deliveries_failed');
}
