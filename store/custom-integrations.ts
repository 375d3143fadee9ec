import type { CustomIntegration } from '../domain/custom-integrations/custom-integration.ts';
import { type Db, runPrepared } from '../infra/database.ts';
import { columns, toRow } from './columns.ts';

const COLUMNS = columns<CustomIntegration>(
  'id',
  'orgId',
  'name',
  'kind',
  'version',
  'revision',
  'status',
  'lastError',
  'head',
  'overrides',
  'settings',
  'refreshEverySeconds',
  'onChange',
  'sealedFetch',
  'source',
  'report',
  'importedAt',
  'checkedAt',
  'createdAt',
  'updatedAt',
);
const JSON_COLUMNS = ['lastError', 'head', 'overrides', 'settings', 'source', 'report'];

export type NewCustomIntegration = Pick<
  CustomIntegration,
  | 'id'
  | 'orgId'
  | 'name'
  | 'kind'
  | 'head'
  | 'overrides'
  | 'settings'
  | 'refreshEverySeconds'
  | 'onChange'
  | 'sealedFetch'
  | 'source'
  | 'report'
>;

export type CustomIntegrationChanges = Partial<Omit<NewCustomIntegration, 'id' | 'orgId' | 'name' | 'kind'>> &
  Partial<Pick<CustomIntegration, 'version' | 'status' | 'lastError' | 'checkedAt'>>;

export async function insertCustomIntegration(db: Db, integration: NewCustomIntegration): Promise<CustomIntegration> {
  const [row] = await db('custom_integrations').insert(toRow(integration, JSON_COLUMNS)).returning(COLUMNS);
  return row;
}

export async function findCustomIntegration(db: Db, orgId: string, name: string): Promise<CustomIntegration | undefined> {
  return db('custom_integrations').select(COLUMNS).where({ org_id: orgId, name }).first();
}

/** Returns all custom integrations of an organization, ordered by name. */
export async function listCustomIntegrations(db: Db, orgId: string): Promise<CustomIntegration[]> {
  return db('custom_integrations').select(COLUMNS).where({ org_id: orgId }).orderBy('name');
}

export async function countCustomIntegrations(db: Db, orgId: string): Promise<number> {
  const row = await db('custom_integrations').where({ org_id: orgId }).count({ total: '*' }).first();
  return Number(row?.total ?? 0);
}

/** Reads a custom integration and locks it until the transaction ends. */
export async function lockCustomIntegration(db: Db, id: string): Promise<CustomIntegration | undefined> {
  return db('custom_integrations').select(COLUMNS).where({ id }).forUpdate().first();
}

/**
 * Locks a custom integration against deletion until the transaction ends. Returns false if the
 * integration is gone.
 */
export async function holdCustomIntegration(tx: Db, orgId: string, name: string): Promise<boolean> {
  return (await tx('custom_integrations').select('id').where({ org_id: orgId, name }).forKeyShare().first()) !== undefined;
}

/** Changes a custom integration and gives it a new revision. */
export async function updateCustomIntegration(db: Db, id: string, changes: CustomIntegrationChanges): Promise<CustomIntegration> {
  const [row] = await db('custom_integrations')
    .where({ id })
    .update({ ...toRow(changes, JSON_COLUMNS), revision: db.raw('gen_random_uuid()'), updated_at: db.fn.now() })
    .returning(COLUMNS);
  return row;
}

export async function deleteCustomIntegration(db: Db, id: string): Promise<boolean> {
  return (await db('custom_integrations').where({ id }).delete()) > 0;
}

const REVISION = {
  name: 'custom-integration-revision',
  text: 'select id, revision from custom_integrations where org_id = $1 and name = $2',
};

/** Finds the id of an integration and its revision, which changes with the content. */
export async function findCustomRevision(db: Db, orgId: string, name: string): Promise<{ id: string; revision: string } | undefined> {
  const [row] = await runPrepared<{ id: string; revision: string }>(db, REVISION, [orgId, name]);
  return row;
}

/**
 * Leases integrations whose scheduled refresh is due, at most one per organization. Skips the
 * organizations in `exceptOrgIds`. Prefers organizations whose last check is longest ago.
 */
export async function leaseDueIntegrations(
  db: Db,
  { leaseSeconds, limit, exceptOrgIds }: { leaseSeconds: number; limit: number; exceptOrgIds: readonly string[] },
): Promise<CustomIntegration[]> {
  const isFree = 'coalesce(checking_until < now(), true)';
  const firstOfOrgs = db('custom_integrations')
    .distinctOn('org_id')
    .select('id')
    .where('refresh_every_seconds', '>', 0)
    .whereRaw("settings ->> 'url' is not null")
    .whereRaw("checked_at < now() - refresh_every_seconds * interval '1 second'")
    .whereRaw(isFree)
    .whereNotIn('org_id', exceptOrgIds)
    .orderBy(['org_id', 'checked_at']);
  const due = db('custom_integrations as one')
    .select('id')
    .whereIn('id', firstOfOrgs)
    .whereRaw(isFree)
    .orderByRaw('(select max(checked_at) from custom_integrations as other where other.org_id = one.org_id)')
    .limit(limit)
    .forUpdate()
    .skipLocked();
  return db('custom_integrations')
    .whereIn('id', due)
    .update({ checking_until: db.raw("now() + ? * interval '1 second'", [leaseSeconds]) })
    .returning(COLUMNS);
}

/** Records the outcome of a refresh, and keeps the revision. */
export async function markChecked(
  db: Db,
  id: string,
  lastError: CustomIntegration['lastError'],
  fields: Partial<Pick<CustomIntegration, 'source' | 'report'>> = {},
): Promise<void> {
  await db('custom_integrations')
    .where({ id })
    .update({
      ...toRow(fields, JSON_COLUMNS),
      status: lastError ? 'ERROR' : 'ACTIVE',
      last_error: lastError && JSON.stringify(lastError),
      checked_at: db.fn.now(),
      checking_until: null,
    });
}

/**
 * Renews the leases of `owner` on imported MCP servers, and takes free leases, up to `limit` in
 * all. Every organization gets one lease before any organization gets a second lease.
 */
export async function leaseWatches(
  db: Db,
  { owner, leaseSeconds, limit }: { owner: string; leaseSeconds: number; limit: number },
): Promise<CustomIntegration[]> {
  const isFree = ['(watched_by = ? or coalesce(watched_until < now(), true))', [owner]] as const;
  const ownFirst = ['(watched_by is not distinct from ?) desc, id', [owner]] as const;
  const ranked = db('custom_integrations')
    .select('id as ranked_id', db.raw(`row_number() over (partition by org_id order by ${ownFirst[0]}) as rank`, ownFirst[1]))
    .where({ kind: 'mcp' })
    .whereRaw(...isFree);
  const held = db('custom_integrations')
    .select('id')
    .join(ranked.as('ranked'), 'ranked_id', 'id')
    .whereRaw(...isFree)
    .orderBy('rank')
    .orderByRaw(...ownFirst)
    .limit(limit)
    .forUpdate('custom_integrations')
    .skipLocked();
  return db('custom_integrations')
    .whereIn('id', held)
    .update({ watched_by: owner, watched_until: db.raw("now() + ? * interval '1 second'", [leaseSeconds]) })
    .returning(COLUMNS);
}
