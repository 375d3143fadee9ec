import { OAUTH_SECONDS, serverIdOf } from '../../domain/oauth/oauth.ts';
import { decrypt, encrypt } from '../../infra/aes-gcm.ts';
import {
  consumeOAuthRecord,
  deleteGrant,
  deleteOAuthRecord,
  deleteRecordsOfGrant,
  type FoundOAuthRecord,
  findOAuthRecord,
  isGrantAlive,
  keepClient,
  upsertOAuthRecord,
} from '../../store/oauth-records.ts';
import type { Gateway } from '../gateway.ts';

export type OAuthPayload = Record<string, unknown>;

/** Storage of one kind of record: the adapter interface of `oidc-provider`. */
export interface OAuthAdapter {
  upsert(id: string, payload: OAuthPayload, expiresInSeconds?: number): Promise<void>;
  find(id: string): Promise<OAuthPayload | undefined>;
  findByUid(uid: string): Promise<OAuthPayload | undefined>;
  findByUserCode(userCode: string): Promise<OAuthPayload | undefined>;
  /** Marks a record as used. Throws ConsumedTwiceError if it was already used. */
  consume(id: string): Promise<void>;
  destroy(id: string): Promise<void>;
  revokeByGrantId(grantId: string): Promise<void>;
}

/**
 * A code or a refresh token was used a second time. All codes and tokens of its grant are then
 * revoked.
 */
export class ConsumedTwiceError extends Error {
  override name = 'ConsumedTwiceError';
}

/**
 * The grant was revoked while one of its codes or tokens was issued. Nothing of the grant is left.
 */
export class GrantRevokedError extends Error {
  override name = 'GrantRevokedError';
}

/** Models of `oidc-provider` that are deleted together with their grant. */
const OF_GRANT = new Set(['AuthorizationCode', 'RefreshToken']);

/**
 * Called after a code or a token was stored. If its grant was revoked meanwhile, deletes everything
 * of the grant and throws GrantRevokedError.
 */
export async function assertGrantLives(db: Gateway['db'], grantId: string): Promise<void> {
  if (await isGrantAlive(db, grantId)) return;
  await deleteGrant(db, grantId);
  throw new GrantRevokedError('The grant was revoked.');
}

/**
 * Stores records of one model in Postgres. Most ids are credentials, so a record is found by the
 * hash of its id. Payloads repeat the id, so they are encrypted.
 */
export function openOAuthAdapter({ db, tokens, config }: Gateway, model: string): OAuthAdapter {
  const hash = (id: string) => tokens.hash(`${model}\0${id}`);
  const key = tokens.key('OAuth records');

  function toPayload(found: FoundOAuthRecord | undefined): OAuthPayload | undefined {
    if (!found) return undefined;
    const payload = JSON.parse(decrypt(key, found.payload, model).toString('utf8'));
    return { ...payload, ...(found.consumedAt && { consumed: Math.floor(found.consumedAt.getTime() / 1000) }) };
  }

  return {
    upsert: async (id, payload, expiresInSeconds) => {
      const { clientId, accountId, grantId, uid, userCode } = payload;
      await upsertOAuthRecord(db, {
        ...{ model, idHash: hash(id), payload: encrypt(key, Buffer.from(JSON.stringify(payload)), model) },
        ...{ clientId: textOf(clientId), identityId: textOf(accountId), serverId: serverOf(config.baseUrl, payload) },
        grantId: model === 'Grant' ? id : textOf(grantId),
        uidHash: model === 'Session' && typeof uid === 'string' ? hash(uid) : null,
        userCodeHash: typeof userCode === 'string' ? hash(userCode) : null,
        expiresInSeconds: expiresInSeconds ?? (model === 'Client' ? OAUTH_SECONDS.unusedClient : null),
      });
      if (model === 'Grant' && typeof clientId === 'string') await keepClient(db, tokens.hash(`Client\0${clientId}`));
      if (OF_GRANT.has(model) && typeof grantId === 'string') await assertGrantLives(db, grantId);
    },
    find: async (id) => toPayload(await findOAuthRecord(db, model, 'id', hash(id))),
    findByUid: async (uid) => toPayload(await findOAuthRecord(db, model, 'uid', hash(uid))),
    findByUserCode: async (userCode) => toPayload(await findOAuthRecord(db, model, 'userCode', hash(userCode))),
    consume: async (id) => {
      if (await consumeOAuthRecord(db, model, hash(id))) return;
      const grantId = toPayload(await findOAuthRecord(db, model, 'id', hash(id)))?.grantId;
      if (typeof grantId === 'string') await db.transaction((tx) => deleteGrant(tx, grantId));
      throw new ConsumedTwiceError(`This ${model} was already used.`);
    },
    destroy: (id) => deleteOAuthRecord(db, model, hash(id)),
    revokeByGrantId: (grantId) => deleteRecordsOfGrant(db, grantId),
  };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function serverOf(baseUrl: string, { resource, resources }: OAuthPayload): string | null {
  const [named] = resources && typeof resources === 'object' ? Object.keys(resources) : [resource];
  return (typeof named === 'string' && serverIdOf(baseUrl, named)) || null;
}
