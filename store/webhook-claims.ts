import type { Approval, ApprovalEvent } from '../domain/approval.ts';
import type { WebhookDelivery } from '../domain/webhook-delivery.ts';
import { type Db, runPrepared } from '../infra/database.ts';
import { columnsSql } from './columns.ts';
import { OVERDUE_SECONDS } from './webhook-deliveries.ts';
import type { WebhookEndpoint } from './webhook-endpoints.ts';

/**
 * Duration of a claim, which is longer than an attempt can take. A claim expires only if its
 * process was lost or could not record the outcome.
 */
const CLAIM_SECONDS = 30;

const OF_APPROVAL = [
  ...(['workspaceId', 'policyId', 'policyVersion', 'codeRunId'] as const),
  ...(['integrationName', 'actionName', 'approvalAccessMode', 'approvers'] as const),
] as const;

/** A delivery that the caller has claimed. `attempt` includes the claimed attempt. */
export interface ClaimedDelivery
  extends Pick<WebhookDelivery, 'id' | 'approvalId' | 'endpointId' | 'attempt' | 'status' | 'createdAt'>,
    Pick<WebhookEndpoint, 'orgId' | 'url' | 'sealedSecret' | 'disabledAt' | 'goneAt'>,
    Pick<Approval, (typeof OF_APPROVAL)[number]> {
  eventType: ApprovalEvent;
  payload: { approval: object };
  /** The workspace of the endpoint, which may differ from the workspace of the approval. */
  endpointWorkspaceId: string | null;
  /** Null if the former secret no longer signs. */
  formerSealedSecret: Buffer | null;
  /** Time of the claim, by the database clock. */
  claimedAt: Date;
}

const COUNTED = `attempt = d.attempt + 1, in_flight_until = now() + interval '${CLAIM_SECONDS} seconds'`;
const IS_FREE = '(d.in_flight_until is null or d.in_flight_until <= now())';
const SELECTED = [
  columnsSql<WebhookDelivery>('d', 'id', 'approvalId', 'endpointId', 'eventType', 'payload', 'attempt', 'status', 'createdAt'),
  columnsSql<WebhookEndpoint>('e', 'orgId', 'url', 'sealedSecret', 'disabledAt', 'goneAt'),
  columnsSql<Approval>('a', ...OF_APPROVAL),
  'e.workspace_id as "endpointWorkspaceId"',
  'case when e.former_signs_until > now() then e.former_sealed_secret end as "formerSealedSecret", now() as "claimedAt"',
].join(', ');
const JOINED = 'claimed d join webhook_endpoints e on e.id = d.endpoint_id join approvals a on a.id = d.approval_id';

/**
 * An event waits until earlier events of the same approval have had their first attempt at the same
 * destination. No event waits for a retry. Retries that are not overdue are claimed by their
 * workflows.
 */
const CLAIM_DUE = {
  name: 'claim-due-webhook-deliveries',
  text: `
    with due as materialized (
      select d.id, d.endpoint_id, d.number from webhook_deliveries d
      where d.next_attempt_at <= now() and (d.status = 'pending' or d.next_attempt_at <= now() - interval '${OVERDUE_SECONDS} seconds')
        and ${IS_FREE} and d.endpoint_id <> all($2::uuid[]) and d.org_id <> all($3::uuid[])
        and not exists (select from webhook_deliveries earlier where earlier.approval_id = d.approval_id
          and earlier.endpoint_id = d.endpoint_id and earlier.number < d.number and earlier.status = 'pending')
      order by d.next_attempt_at, d.number limit $1 for update of d skip locked),
    ranked as (select id, endpoint_id, row_number() over (partition by endpoint_id order by number) as turn from due),
    claimed as (
      update webhook_deliveries d set ${COUNTED} from ranked
      where d.id = ranked.id and ranked.turn <= coalesce(($4::jsonb ->> ranked.endpoint_id::text)::int, $5)
      returning d.*)
    select ${SELECTED}, (select count(*)::int from due) as "dueCount" from ${JOINED}`,
};

/**
 * Limits of a claim. `rooms` limits the deliveries to each destination that has deliveries in
 * flight. `ofDestination` limits the deliveries to any other destination.
 */
export interface ClaimLimits {
  total: number;
  ofDestination: number;
  rooms: Readonly<Record<string, number>>;
  fullEndpoints: readonly string[];
  fullOrgs: readonly string[];
}

/**
 * Claims due deliveries, the longest due first. `hasMore` is true if the limits may have left due
 * deliveries.
 */
export async function claimDueDeliveries(db: Db, limits: ClaimLimits): Promise<{ claimed: ClaimedDelivery[]; hasMore: boolean }> {
  const { total, ofDestination, rooms, fullEndpoints, fullOrgs } = limits;
  const values = [total, fullEndpoints, fullOrgs, JSON.stringify(rooms), ofDestination];
  const rows = await runPrepared<ClaimedDelivery & { dueCount: number }>(db, CLAIM_DUE, values);
  const dueCount = rows[0]?.dueCount ?? 0;
  const hasMore = dueCount > rows.length || dueCount === total || fullEndpoints.length + fullOrgs.length > 0;
  return { claimed: rows, hasMore };
}

const CLAIM_RETRY = {
  name: 'claim-webhook-retry',
  text: `
    with claimed as (
      update webhook_deliveries d set ${COUNTED} where d.id = $1 and d.status = 'retrying' and d.next_attempt_at <= now() and ${IS_FREE}
        and d.endpoint_id <> all($2::uuid[]) and d.org_id <> all($3::uuid[])
      returning d.*)
    select ${SELECTED} from ${JOINED}`,
};

/**
 * Claims a retry. Returns undefined if the retry is not due, already claimed, or beyond the limits.
 */
export async function claimRetry(
  db: Db,
  id: string,
  { fullEndpoints, fullOrgs }: Pick<ClaimLimits, 'fullEndpoints' | 'fullOrgs'>,
): Promise<ClaimedDelivery | undefined> {
  const [claimed] = await runPrepared<ClaimedDelivery>(db, CLAIM_RETRY, [id, fullEndpoints, fullOrgs]);
  return claimed;
}

/**
 * Returns the number of seconds until a delivery is due again; undefined if the delivery has ended.
 */
export async function secondsUntilDue(db: Db, id: string): Promise<number | undefined> {
  const row = await db('webhook_deliveries')
    .select(db.raw('extract(epoch from greatest(next_attempt_at, in_flight_until) - now())::float8 as seconds'))
    .where({ id })
    .whereNotNull('next_attempt_at')
    .first();
  return row?.seconds;
}
