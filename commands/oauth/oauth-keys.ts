import { createPrivateKey, hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import type { JWK } from 'jose';
import { OAUTH_KEY_SECONDS } from '../../domain/oauth/oauth.ts';
import { actorOf, type KeyPrincipal } from '../../domain/principal.ts';
import { decrypt, encrypt } from '../../infra/aes-gcm.ts';
import {
  deleteFormerOAuthKeys,
  deleteOtherOAuthKeys,
  insertOAuthKey,
  isOAuthKeyDue,
  listOAuthKeys,
  lockOAuthKeys,
  type StoredOAuthKey,
} from '../../store/oauth-keys.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';

/** The keys of the authorization server. The first key signs new cookies; all are accepted. */
export interface OAuthKeys {
  /** Identifies this set of keys. */
  version: string;
  /**
   * Private Ed25519 keys. Their public keys are published for clients that require `jwks_uri`.
   * Nothing is signed with them, because access tokens are opaque and no ID token is issued.
   */
  signing: JWK[];
  /** The keys for signing cookies. Such a cookie binds a flow to its browser. */
  cookies: string[];
}

type Host = Pick<Gateway, 'db' | 'tokens'>;

/** Reads the keys. Creates a key if no key has begun to sign. */
export async function readOAuthKeys(gateway: Host): Promise<OAuthKeys> {
  let stored = await listOAuthKeys(gateway.db);
  if (!stored.some(({ hasStarted }) => hasStarted)) {
    await changeKeys(gateway, async (db) => {
      if (!(await listOAuthKeys(db)).some(({ hasStarted }) => hasStarted)) await addKey({ ...gateway, db }, 0);
    });
    stored = await listOAuthKeys(gateway.db);
  }
  const signer = stored.find(({ hasStarted }) => hasStarted)!;
  const ordered = [signer, ...stored.filter((key) => key !== signer)];
  const secrets = ordered.map((key) => openSecret(gateway, key));
  return {
    version: ordered.map(({ id }) => id).join(' '),
    signing: secrets.map(signingKey),
    cookies: secrets.map((secret) => derive(secret, 'cookies').toString('base64url')),
  };
}

/**
 * Adds a key that signs from an hour later, when all processes and clients have it. `atOnce` is for
 * a leaked key: the new key signs now, and all other keys are deleted.
 */
export async function rotateOAuthKeys(gateway: Host, { atOnce, by }: { atOnce: boolean; by?: KeyPrincipal }): Promise<void> {
  await changeKeys(gateway, async (db) => {
    const id = await addKey({ ...gateway, db }, atOnce ? 0 : OAUTH_KEY_SECONDS.ahead);
    if (atOnce) await deleteOtherOAuthKeys(db, id);
    const entry = by && { orgId: by.orgId, workspaceId: null, actor: actorOf(by), details: { atOnce } };
    if (entry) await recordActivity(db, { ...entry, type: 'oauth_keys.rotated' });
  });
}

/** Adds a key if the newest has signed for long enough, and deletes keys no longer needed. */
export async function rotateDueOAuthKeys(gateway: Host): Promise<void> {
  await changeKeys(gateway, async (db) => {
    if (await isOAuthKeyDue(db, OAUTH_KEY_SECONDS.signs)) await addKey({ ...gateway, db }, OAUTH_KEY_SECONDS.ahead);
    await deleteFormerOAuthKeys(db, OAUTH_KEY_SECONDS.kept);
  });
}

async function changeKeys({ db }: Host, change: (db: Gateway['db']) => Promise<void>): Promise<void> {
  await db.transaction(async (tx) => {
    await lockOAuthKeys(tx);
    await change(tx);
  });
}

async function addKey({ db, tokens }: Host, startsInSeconds: number): Promise<string> {
  const id = randomUUID();
  await insertOAuthKey(db, { id, sealedSecret: encrypt(tokens.key(SEALING), randomBytes(32), id) }, startsInSeconds);
  return id;
}

const SEALING = 'OAuth keys';

function openSecret({ tokens }: Host, { id, sealedSecret }: StoredOAuthKey): Buffer {
  return decrypt(tokens.key(SEALING), sealedSecret, id);
}

function derive(secret: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, 'integration-gateway', purpose, 32));
}

/** DER encoding of an Ed25519 private key, up to its seed (RFC 8410). */
const ED25519_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

function signingKey(secret: Buffer): JWK {
  const key = createPrivateKey({ key: Buffer.concat([ED25519_PREFIX, derive(secret, 'signing')]), format: 'der', type: 'pkcs8' });
  return { ...(key.export({ format: 'jwk' }) as JWK), use: 'sig', alg: 'EdDSA' };
}
