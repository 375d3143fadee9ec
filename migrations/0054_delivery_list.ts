import type { Knex } from 'knex';

/**
 * Deliveries of an organization, the newest first, for the dashboard. Failed ones have a separate
 * index: there are few, and they are listed when something is wrong.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create index webhook_deliveries_list on webhook_deliveries (org_id, number desc);
    create index webhook_deliveries_failed on webhook_deliveries (org_id, number desc) where status = 'failed';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index webhook_deliveries_list, webhook_deliveries_failed');
}
