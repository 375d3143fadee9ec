import { type Db, runPrepared, type Statement } from '../infra/database.ts';
import { byPosition, EXPECT_ONE_ITEM } from './by-position.ts';

/** The fields of an API key that authentication needs. */
export interface KeyLookup {
  id: string;
  orgId: string;
  name: string;
  scope: 'org' | 'workspace';
  workspaceIds: string[];
  mayDecide: boolean;
  policiesVersion: number;
  seenAt: Date;
  /** True if `last_used_at` should be updated: it is null or more than a minute old. */
  stale: boolean;
}

/** An API key, and the record that its request names. */
export interface KeyWith<Row> {
  key: KeyLookup;
  /** Undefined if the organization of the key has no such record. */
  record: Row | undefined;
}

/** A request: the hash of its API key, and the id of the record that the request names. */
export interface KeyedRequest {
  hash: Buffer;
  id: string | null;
}

/**
 * Returns a function that finds the API keys of requests, and the record in `table` that each
 * request names in the organization of its key. Results are in the order of the requests; undefined
 * for an unknown or expired key. The names of `columns` must be the field names of `Row`.
 */
export function keyedRead<Row extends { id: string }>(
  table: string,
  columns: string,
  idType: 'uuid' | 'text' = 'uuid',
): (db: Db, requests: readonly KeyedRequest[]) => Promise<(KeyWith<Row> | undefined)[]> {
  const statement = {
    name: `keys-with-${table}`,
    text: keyed(`, ${columns}`, `left join ${table} on ${table}.org_id = k.org_id and ${table}.id = asked.id`, idType),
  };
  return async (db, requests) => {
    const rows = await readKeyed<KeyRow & (Row | { id: null })>(db, statement, requests);
    return rows.map((row) => row && { key: toKey(row), record: row.id === null ? undefined : (row as Row) });
  };
}

const KEYS = { name: 'keys', text: keyed('', '') };

/** Finds API keys in the order of `hashes`; undefined for an unknown or expired key. */
export async function findApiKeysByHash(db: Db, hashes: readonly Buffer[]): Promise<(KeyLookup | undefined)[]> {
  const rows = await readKeyed<KeyRow>(
    db,
    KEYS,
    hashes.map((hash) => ({ hash, id: null })),
  );
  return rows.map((row) => row && toKey(row));
}

function keyed(columns: string, join: string, idType = 'uuid'): string {
  return `select asked.n, k.id as "keyId", k.org_id as "keyOrgId", k.name as "keyName", k.scope as "keyScope", k.workspace_ids as "keyWorkspaceIds",
      k.may_decide as "keyMayDecide", o.policies_version as "keyPoliciesVersion", now() as "keySeenAt",
      (k.last_used_at is null or k.last_used_at < now() - interval '1 minute') as "keyStale"${columns}
    from unnest($1::bytea[], $2::${idType}[]) with ordinality as asked (hash, id, n)
      join api_keys k on k.key_hash = asked.hash and (k.expires_at is null or k.expires_at > now())
      join orgs o on o.id = k.org_id ${join}
    where ${EXPECT_ONE_ITEM}`;
}

type KeyRow = { n: number } & { [Name in keyof KeyLookup as `key${Capitalize<Name>}`]: KeyLookup[Name] };

async function readKeyed<Row extends { n: number }>(
  db: Db,
  statement: Statement,
  requests: readonly KeyedRequest[],
): Promise<(Row | undefined)[]> {
  const values = [requests.map(({ hash }) => hash), requests.map(({ id }) => id)];
  return byPosition(requests.length, await runPrepared<Row>(db, statement, values));
}

function toKey(row: KeyRow): KeyLookup {
  return {
    id: row.keyId,
    orgId: row.keyOrgId,
    name: row.keyName,
    scope: row.keyScope,
    workspaceIds: row.keyWorkspaceIds,
    mayDecide: row.keyMayDecide,
    policiesVersion: row.keyPoliciesVersion,
    seenAt: row.keySeenAt,
    stale: row.keyStale,
  };
}
