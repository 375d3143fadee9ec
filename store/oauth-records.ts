import { type Db, runPrepared } from '../infra/database.ts';

/** A record of the authorization server, such as a client, a grant or an authorization code. */
export interface OAuthRecord {
  model: string;
  idHash: Buffer;
  /** The encrypted payload. */
  payload: Buffer;
  grantId: string | null;
  clientId: string | null;
  identityId: string | null;
  serverId: string | null;
  uidHash: Buffer | null;
  userCodeHash: Buffer | null;
  /** Null: the record does not expire. */
  expiresInSeconds: number | null;
}

const UPSERT = {
  name: 'upsert-oauth-record',
  text: `insert into oauth_records (model, id_hash, payload, grant_id, client_id, identity_id, server_id, uid_hash, user_code_hash, expires_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, now() + make_interval(secs => $10))
         on conflict (model, id_hash) do update set payload = excluded.payload, grant_id = excluded.grant_id,
           client_id = excluded.client_id, identity_id = excluded.identity_id, server_id = excluded.server_id,
           uid_hash = excluded.uid_hash, user_code_hash = excluded.user_code_hash, expires_at = excluded.expires_at`,
};

export async function upsertOAuthRecord(db: Db, record: OAuthRecord): Promise<void> {
  const { model, idHash, payload, grantId, clientId, identityId, serverId, uidHash, userCodeHash, expiresInSeconds } = record;
  const values = [grantId, clientId, identityId, serverId, uidHash, userCodeHash, expiresInSeconds];
  await runPrepared(db, UPSERT, [model, idHash, payload, ...values]);
}

/** The fields of a record that `findOAuthRecord` returns. */
export interface FoundOAuthRecord {
  payload: Buffer;
  consumedAt: Date | null;
}

const FOUND = 'payload, consumed_at as "consumedAt"';
const LIVES = '(expires_at is null or expires_at > now())';

const BY = {
  id: { name: 'oauth-record-by-id', text: `select ${FOUND} from oauth_records where model = $1 and id_hash = $2 and ${LIVES}` },
  uid: { name: 'oauth-record-by-uid', text: `select ${FOUND} from oauth_records where model = $1 and uid_hash = $2 and ${LIVES}` },
  userCode: {
    name: 'oauth-record-by-user-code',
    text: `select ${FOUND} from oauth_records where model = $1 and user_code_hash = $2 and ${LIVES}`,
  },
} as const;

/** Finds the unexpired record whose id, uid or user code has this hash. */
export async function findOAuthRecord(db: Db, model: string, by: keyof typeof BY, hash: Buffer): Promise<FoundOAuthRecord | undefined> {
  const [row] = await runPrepared<FoundOAuthRecord>(db, BY[by], [model, hash]);
  return row;
}

/** Marks a record as used; false if the record was already used or is gone. */
export async function consumeOAuthRecord(db: Db, model: string, idHash: Buffer): Promise<boolean> {
  const where = { model, id_hash: idHash, consumed_at: null };
  return (await db('oauth_records').where(where).update({ consumed_at: db.fn.now() })) > 0;
}

export async function deleteOAuthRecord(db: Db, model: string, idHash: Buffer): Promise<void> {
  await db('oauth_records').where({ model, id_hash: idHash }).delete();
}

/** Deletes a grant, with all its authorization codes and tokens. */
export async function deleteGrant(db: Db, grantId: string): Promise<void> {
  await db('oauth_records').where({ grant_id: grantId }).delete();
  await db('mcp_tokens').where({ grant_id: grantId }).delete();
}

/**
 * Returns true if a grant has not been revoked. Waits for a revocation in progress. If the result
 * is true, a later revocation also deletes all records of the grant that were inserted before this
 * check.
 */
export async function isGrantAlive(db: Db, grantId: string): Promise<boolean> {
  return (await db('oauth_records').select('model').where({ model: 'Grant', grant_id: grantId }).forShare().first()) !== undefined;
}

/** Deletes all authorization codes and tokens of a grant, but not the grant itself. */
export async function deleteRecordsOfGrant(db: Db, grantId: string): Promise<void> {
  await db('oauth_records').where({ grant_id: grantId }).whereNot({ model: 'Grant' }).delete();
  await db('mcp_tokens').where({ grant_id: grantId }).delete();
}

const GRANT = {
  name: 'grant-of-client',
  text: `select grant_id as "grantId" from oauth_records
         where model = 'Grant' and client_id = $1 and identity_id = $2 and server_id = $3 and ${LIVES}
         order by created_at desc limit 1`,
};

/** Returns the id of the newest grant of an identity to a client on one MCP server. */
export async function findGrantId(db: Db, clientId: string, identityId: string, serverId: string): Promise<string | undefined> {
  const [row] = await runPrepared<{ grantId: string }>(db, GRANT, [clientId, identityId, serverId]);
  return row?.grantId;
}

/** A grant of an identity to a client on an MCP server. */
export interface ListedGrant {
  grantId: string;
  clientId: string;
  serverName: string;
  workspaceId: string;
  createdAt: Date;
}

const GRANTS = {
  name: 'grants-of-identity',
  text: `select r.grant_id as "grantId", r.client_id as "clientId", s.name as "serverName", s.workspace_id as "workspaceId",
           r.created_at as "createdAt"
         from oauth_records r join mcp_servers s on s.id = r.server_id
         where r.model = 'Grant' and r.identity_id = $1 and (r.expires_at is null or r.expires_at > now())
         order by r.created_at, r.grant_id limit 200`,
};

export async function listGrants(db: Db, identityId: string): Promise<ListedGrant[]> {
  return runPrepared<ListedGrant>(db, GRANTS, [identityId]);
}

/** Removes the expiry of a registered client. */
export async function keepClient(db: Db, idHash: Buffer): Promise<void> {
  await db('oauth_records').where({ model: 'Client', id_hash: idHash }).update({ expires_at: null });
}

export async function deleteExpiredOAuthRecords(db: Db): Promise<void> {
  await db('oauth_records').where('expires_at', '<=', db.fn.now()).delete();
}
