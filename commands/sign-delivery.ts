import { createHmac } from 'node:crypto';
import type { ClaimedDelivery } from '../store/webhook-claims.ts';
import type { Gateway } from './gateway.ts';
import { sealedPlace } from './webhook-secret.ts';

type Signed = Pick<ClaimedDelivery, 'id' | 'orgId' | 'endpointId' | 'claimedAt' | 'formerSealedSecret'> & { sealedSecret: Buffer };

/**
 * The headers that sign a body: the specification's and, beside them, those of Standard Webhooks. After a rotation both secrets sign, the
 * new one first. The time is that of the database, so that a process whose clock is wrong signs none that is stale.
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
  const { orgId, endpointId: id, sealedSecret, formerSealedSecret } = delivery;
  const secrets = [await vault.open(db, sealedPlace({ orgId, id }, 'sealed_secret'), sealedSecret)];
  if (formerSealedSecret) secrets.push(await vault.open(db, sealedPlace({ orgId, id }, 'former_sealed_secret'), formerSealedSecret));
  return secrets.map((secret) => Buffer.from(secret.slice('whsec_'.length), 'base64'));
}
