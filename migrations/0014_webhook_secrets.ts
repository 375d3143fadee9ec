import type { Knex } from 'knex';

/**
 * Secrets of webhooks can be replaced, and the worker claims deliveries in the table. `number`: the
 * order of events. `in_flight_until`: the end of a claim.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table webhook_endpoints
      alter column sealed_secret drop not null,
      add column former_sealed_secret bytea,
      add column former_signs_until timestamptz,
      add column gone_at timestamptz;
    -- Until now disabled_at had two meanings. If the policy still names a disabled destination, the destination answered 410.
    update webhook_endpoints e set gone_at = e.disabled_at, disabled_at = null
      from approval_policies p
      where e.disabled_at is not null and p.id = e.policy_id
        and exists (select from json_array_elements(p.approvers) approver where approver ->> 'webhookUrl' = e.url);

    alter table webhook_deliveries
      add column number bigint generated always as identity,
      add column next_attempt_at timestamptz,
      add column in_flight_until timestamptz;
    update webhook_deliveries set next_attempt_at = now() where status = 'pending';
    update webhook_deliveries
      set next_attempt_at = now() + make_interval(secs => coalesce((array[${RETRY_AFTER_SECONDS.join(', ')}])[attempt], 0))
      where status = 'retrying';
    create index webhook_deliveries_due on webhook_deliveries (next_attempt_at, number) where next_attempt_at is not null;
    create index webhook_deliveries_due_at on webhook_deliveries (endpoint_id, next_attempt_at) where next_attempt_at is not null;
  `);
}

/**
 * Seconds between attempts. The time of the last attempt is unknown, so the whole delay counts from
 * now.
 */
const RETRY_AFTER_SECONDS = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index webhook_deliveries_due, webhook_deliveries_due_at;
    alter table webhook_deliveries drop column number, drop column next_attempt_at, drop column in_flight_until;
    delete from webhook_endpoints where sealed_secret is null;
    update webhook_endpoints set disabled_at = coalesce(disabled_at, gone_at);
    alter table webhook_endpoints
      alter column sealed_secret set not null, drop column former_sealed_secret, drop column former_signs_until, drop column gone_at;
  `);
}
