import type { Db } from '../infra/database.ts';
import { columns, toRow } from './columns.ts';

/** A destination of a policy, with its sealed signing secret. */
export interface WebhookEndpoint {
  id: string;
  orgId: string;
  /**
   * Workspace of the policy when the endpoint was created. The secrets are sealed for this
   * workspace. Null: the whole organization.
   */
  workspaceId: string | null;
  policyId: string;
  url: string;
  /** Null after the secret was deleted. Nothing is sent without a secret. */
  sealedSecret: Buffer | null;
  /** Null while the policy names the endpoint. */
  disabledAt: Date | null;
  /** The time at which the endpoint answered 410. */
  goneAt: Date | null;
}

const COLUMNS = columns<WebhookEndpoint>('id', 'orgId', 'workspaceId', 'policyId', 'url', 'sealedSecret', 'disabledAt', 'goneAt');

export type NewWebhookEndpoint = Pick<WebhookEndpoint, 'id' | 'orgId' | 'workspaceId' | 'policyId' | 'url' | 'sealedSecret'>;

export async function insertWebhookEndpoint(db: Db, endpoint: NewWebhookEndpoint): Promise<void> {
  await db('webhook_endpoints').insert(toRow(endpoint));
}

/** Returns the endpoints that the policy names, oldest first. */
export async function listWebhookEndpoints(db: Db, policyId: string): Promise<WebhookEndpoint[]> {
  return db('webhook_endpoints').select(COLUMNS).where({ policy_id: policyId }).whereNull('disabled_at').orderBy(['created_at', 'id']);
}

/** Finds the endpoint of a policy for this URL, even if the policy no longer names it. */
export async function findWebhookEndpointByUrl(db: Db, policyId: string, url: string): Promise<WebhookEndpoint | undefined> {
  return db('webhook_endpoints').select(COLUMNS).where({ policy_id: policyId, url }).first();
}

/** Reads an endpoint and locks it until the transaction ends. */
export async function lockWebhookEndpoint(db: Db, id: string): Promise<WebhookEndpoint | undefined> {
  return db('webhook_endpoints').select(COLUMNS).where({ id }).forUpdate().first();
}

/** Enables an endpoint with a new secret. */
export async function enableWebhookEndpoint(db: Db, id: string, sealedSecret: Buffer): Promise<void> {
  const fresh = { disabled_at: null, gone_at: null, former_sealed_secret: null, former_signs_until: null };
  await db('webhook_endpoints')
    .where({ id })
    .update({ ...fresh, sealed_secret: sealedSecret });
}

export async function disableWebhookEndpoint(db: Db, id: string): Promise<void> {
  await db('webhook_endpoints').where({ id }).update({ disabled_at: db.fn.now() });
}

export async function markWebhookEndpointGone(db: Db, id: string): Promise<void> {
  await db('webhook_endpoints').where({ id }).update({ gone_at: db.fn.now() });
}

/** Clears the mark that an endpoint is gone. */
export async function reviveWebhookEndpoint(db: Db, id: string): Promise<void> {
  await db('webhook_endpoints').where({ id }).whereNotNull('gone_at').update({ gone_at: null });
}

/** Replaces the secret of an endpoint. The former secret also signs for `overlapSeconds`. */
export async function replaceWebhookSecret(
  db: Db,
  id: string,
  { sealedSecret, formerSealedSecret, overlapSeconds }: { sealedSecret: Buffer; formerSealedSecret: Buffer | null; overlapSeconds: number },
): Promise<void> {
  await db('webhook_endpoints')
    .where({ id })
    .update({
      sealed_secret: sealedSecret,
      former_sealed_secret: formerSealedSecret,
      former_signs_until: db.raw("now() + ? * interval '1 second'", [overlapSeconds]),
    });
}

/**
 * Deletes secrets that sign nothing more, and keeps the rows. Returns the number of unused
 * endpoints (see `isWebhookEndpointUnused`) whose secrets were deleted.
 */
export async function wipeUnusedWebhookSecrets(db: Db): Promise<number> {
  await db('webhook_endpoints')
    .where('former_signs_until', '<=', db.fn.now())
    .update({ former_sealed_secret: null, former_signs_until: null });
  return unusedEndpoints(db)
    .whereNotNull('sealed_secret')
    .update({ sealed_secret: null, former_sealed_secret: null, former_signs_until: null });
}

/**
 * Returns true if an endpoint will get no more deliveries: no policy names the endpoint, and no
 * open delivery or approval uses it.
 */
export async function isWebhookEndpointUnused(db: Db, id: string): Promise<boolean> {
  return (await unusedEndpoints(db).where({ id }).first('id')) !== undefined;
}

function unusedEndpoints(db: Db) {
  return db('webhook_endpoints as e')
    .where((unnamed) => {
      unnamed.whereNotNull('disabled_at').orWhereNotExists(db('approval_policies as p').whereRaw('p.id = e.policy_id'));
    })
    .whereNotExists(db('webhook_deliveries as d').whereRaw('d.endpoint_id = e.id and d.next_attempt_at is not null'))
    .whereNotExists(db('approvals as a').whereRaw("e.disabled_at is null and a.policy_id = e.policy_id and a.status = 'pending'"));
}
