import type { Db } from '../infra/database.ts';
import { columns, toRow } from './columns.ts';

/** One destination of a policy; its signing secrets are sealed by the vault. */
export interface WebhookEndpoint {
  id: string;
  orgId: string;
  policyId: string;
  url: string;
  /** Null once it was wiped, which it is only when nothing will be sent any more. */
  sealedSecret: Buffer | null;
  /** Since when the policy does not name it any more. */
  disabledAt: Date | null;
  /** When it answered 410. */
  goneAt: Date | null;
}

const COLUMNS = columns<WebhookEndpoint>('id', 'orgId', 'policyId', 'url', 'sealedSecret', 'disabledAt', 'goneAt');

export type NewWebhookEndpoint = Pick<WebhookEndpoint, 'id' | 'orgId' | 'policyId' | 'url' | 'sealedSecret'>;

export async function insertWebhookEndpoint(db: Db, endpoint: NewWebhookEndpoint): Promise<void> {
  await db('webhook_endpoints').insert(toRow(endpoint));
}

/** Those that the policy names. */
export async function listWebhookEndpoints(db: Db, policyId: string): Promise<WebhookEndpoint[]> {
  return db('webhook_endpoints').select(COLUMNS).where({ policy_id: policyId }).whereNull('disabled_at').orderBy(['created_at', 'id']);
}

/** The endpoint of a policy for this address, named or not. */
export async function findWebhookEndpointByUrl(db: Db, policyId: string, url: string): Promise<WebhookEndpoint | undefined> {
  return db('webhook_endpoints').select(COLUMNS).where({ policy_id: policyId, url }).first();
}

/** An endpoint, held against changes until the transaction ends. */
export async function lockWebhookEndpoint(db: Db, id: string): Promise<WebhookEndpoint | undefined> {
  return db('webhook_endpoints').select(COLUMNS).where({ id }).forUpdate().first();
}

/** Lets an endpoint be used again, with a new secret. */
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

/** Takes back that an endpoint is gone. */
export async function reviveWebhookEndpoint(db: Db, id: string): Promise<void> {
  await db('webhook_endpoints').where({ id }).whereNotNull('gone_at').update({ gone_at: null });
}

/** Puts a new secret in the place of the former, which goes on signing for so long. */
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
 * Wipes secrets that sign nothing any more: former ones whose time is up, and those of destinations that no policy names, as soon as no
 * delivery is open and no approval of the policy is pending. The rows stay, since deliveries refer to them. Answers how many.
 */
export async function wipeUnusedWebhookSecrets(db: Db): Promise<number> {
  await db('webhook_endpoints')
    .where('former_signs_until', '<=', db.fn.now())
    .update({ former_sealed_secret: null, former_signs_until: null });
  return unusedEndpoints(db)
    .whereNotNull('sealed_secret')
    .update({ sealed_secret: null, former_sealed_secret: null, former_signs_until: null });
}

/** Whether an endpoint has heard all that it will, so that its secret is wiped or about to be. */
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
