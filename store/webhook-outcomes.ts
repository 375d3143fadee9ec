import type { WebhookDelivery } from '../domain/webhook-delivery.ts';
import { type Db, runPrepared } from '../infra/database.ts';

/** The outcome of an attempt. */
export interface AttemptOutcome {
  id: string;
  /** Number of the attempt. The outcome is ignored if the delivery is at another attempt. */
  attempt: number;
  status: WebhookDelivery['status'];
  httpStatus: number | null;
  errorMessage: string | null;
  /** Seconds until the next attempt; null: no further attempt. */
  retryInSeconds: number | null;
  /** False if nothing was sent, so that the attempt does not count. */
  isSent: boolean;
}

const RECORD = {
  name: 'record-webhook-outcomes',
  text: `
    with given as (
      select * from json_to_recordset($1) as given (id uuid, attempt integer, status text, "httpStatus" integer, "errorMessage" text,
        "retryInSeconds" double precision, "isSent" boolean)),
    recorded as (
      update webhook_deliveries d set
        status = given.status, http_status = given."httpStatus", error_message = given."errorMessage", in_flight_until = null,
        attempt = d.attempt - case when given."isSent" then 0 else 1 end,
        next_attempt_at = clock_timestamp() + given."retryInSeconds" * interval '1 second',
        delivered_at = case when given.status = 'success' then clock_timestamp() else d.delivered_at end
      from given where d.id = given.id and d.attempt = given.attempt and d.in_flight_until is not null
      returning d.id, d.approval_id, d.endpoint_id, d.number)
    select id, exists (select from webhook_deliveries later where later.approval_id = recorded.approval_id
      and later.endpoint_id = recorded.endpoint_id and later.number > recorded.number and later.status = 'pending') as "isAwaited"
    from recorded`,
};

export interface Recorded {
  id: string;
  /** True if a later event to the same destination waits for this delivery. */
  isAwaited: boolean;
}

/** Records outcomes, and returns the deliveries whose claim was still valid. */
export async function recordOutcomes(db: Db, outcomes: readonly AttemptOutcome[]): Promise<Recorded[]> {
  return runPrepared<Recorded>(db, RECORD, [JSON.stringify(outcomes)]);
}
