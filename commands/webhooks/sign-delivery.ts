import { createHmac } from 'node:crypto';
import type { ClaimedDelivery } from '../../store/webhook-claims.ts';
import type { Gateway } from '../gateway.ts';
import { sealedPlace } from './webhook-secret.ts';

type Signed = Pick<ClaimedDelivery, 'id' | 'orgId' | 'endpointId' | 'endpointWorkspaceId' | 'claimedAt' | 'formerSealedSecret'> & {
  sealedSecret: Buffer;
};

/**
 * The signature headers of a body, in the forms of the specification and of Standard Webhooks.
 * After a rotation, both secrets sign. The timestamp is by the database clock, so a wrong clock of
 * a process makes no signature stale.
 */
export async function signDelivery(
  gateway: Pick<Gateway, 'db' | 'vault'>,
  delivery: Signed,
  body: string,
): Promise<Record<string, string>> {
  const timestamp = Math.floor(delivery.claimedAt.getTime() / 1000);
  const keys = await signingKeys(gateway, delivery);
  const sign = (text: string, encoding: 'hex' | 'base64') => keys.map((key) => createHmac('sha256', key).update(text).digest(encoding));
  const ours = sign(`${timestamp}.${body}`, 'hex').map((signature) => `v1=${signature}`);
  const standard = sign(`${delivery.id}.${timestamp}.${body}`, 'base64').map((signature) => `v1,${signature}`);
  return {
    'x-svc-timestamp': String(timestamp),
    'x-svc-signature': [`t=${timestamp}`, ...ours].join(','),
    'webhook-id': delivery.id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': standard.join(' '),
  };
}

async function signingKeys({ db, vault }: Pick<Gateway, 'db' | 'vault'>, delivery: Signed): Promise<Buffer[]> {
  const { orgId, endpointId: id, endpointWorkspaceId: workspaceId, sealedSecret, formerSealedSecret } = delivery;
  const endpoint = { orgId, workspaceId, id };
  const secrets = [await vault.open(db, sealedPlace(endpoint, 'sealed_secret'), sealedSecret)];
  if (formerSealedSecret) secrets.push(await vault.open(db, sealedPlace(endpoint, 'former_sealed_secret'), formerSealedSecret));
  return secrets.map((secret) => Buffer.from(secret.slice('whsec_'.length), 'base64'));
}
