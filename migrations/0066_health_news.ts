import type { Knex } from 'knex';

/**
 * Notifies open pages of the dashboard of changes of accounts and webhook destinations, and of
 * deliveries that fail or no longer fail.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create function tell_dashboard_once() returns trigger language plpgsql as $$
    begin
      perform pg_notify('dashboard_news', org_id || '/' || tg_argv[0] || '/') from (select distinct org_id from changed) orgs;
      return null;
    end $$;
    create trigger dashboard_connected after insert on connections
      for each row execute function tell_dashboard('connections');
    create trigger dashboard_connection_changed after update of status on connections
      for each row when (old.status is distinct from new.status) execute function tell_dashboard('connections');
    create trigger dashboard_disconnected after delete on connections
      referencing old table as changed for each statement execute function tell_dashboard_once('connections');
    create trigger dashboard_endpoints_added after insert on webhook_endpoints
      referencing new table as changed for each statement execute function tell_dashboard_once('webhooks');
    create trigger dashboard_endpoint_disabled after update of disabled_at on webhook_endpoints
      for each row when ((old.disabled_at is null) <> (new.disabled_at is null)) execute function tell_dashboard('webhooks');
    create trigger dashboard_endpoints_removed after delete on webhook_endpoints
      referencing old table as changed for each statement execute function tell_dashboard_once('webhooks');
    create trigger dashboard_delivery_failed after update of status on webhook_deliveries
      for each row when (old.status is distinct from new.status and 'failed' in (old.status, new.status)) execute function tell_dashboard('webhooks');
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop trigger dashboard_connected on connections;
    drop trigger dashboard_connection_changed on connections;
    drop trigger dashboard_disconnected on connections;
    drop trigger dashboard_endpoints_added on webhook_endpoints;
    drop trigger dashboard_endpoint_disabled on webhook_endpoints;
    drop trigger dashboard_endpoints_removed on webhook_endpoints;
    drop trigger dashboard_delivery_failed on webhook_deliveries;
    drop function tell_dashboard_once();
  `);
}
