import type { Db } from '../infra/database.ts';
import { columns, toRow } from './columns.ts';

/** One destination of a policy; its signing secret is sealed by the vault. */
export interface WebhookEndpoint {
  id: string;
  orgId: string;
  policyId: string;
  url: string;
  sealedSecret: Buffer;
  disabledAt: Date | null;
}

const COLUMNS = columns<WebhookEndpoint>('id', 'orgId', 'policyId', 'url', 'sealedSecret', 'disabledAt');

export async function insertWebhookEndpoint(db: Db, endpoint: Omit<WebhookEndpoint, 'disabledAt'>): Promise<void> {
  await db('webhook_endpoints').insert(toRow(endpoint));
}

export async function findWebhookEndpoint(db: Db, id: string): Promise<WebhookEndpoint | undefined> {
  return db('webhook_endpoints').select(COLUMNS).where({ id }).first();
}

export async function listWebhookEndpoints(db: Db, policyId: string): Promise<WebhookEndpoint[]> {
  return db('webhook_endpoints').select(COLUMNS).where({ policy_id: policyId }).whereNull('disabled_at').orderBy('created_at');
}

/** The endpoint of a policy for this address, disabled or not. */
export async function findWebhookEndpointByUrl(db: Db, policyId: string, url: string): Promise<WebhookEndpoint | undefined> {
  return db('webhook_endpoints').select(COLUMNS).where({ policy_id: policyId, url }).first();
}

/** Lets a disabled endpoint be used again, with a new secret. */
export async function enableWebhookEndpoint(db: Db, id: string, sealedSecret: Buffer): Promise<void> {
  await db('webhook_endpoints').where({ id }).update({ sealed_secret: sealedSecret, disabled_at: null });
}

export async function disableWebhookEndpoint(db: Db, id: string): Promise<void> {
  await db('webhook_endpoints').where({ id }).whereNull('disabled_at').update({ disabled_at: db.fn.now() });
}
