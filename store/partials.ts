import type { InputPartial } from '../domain/input-partial.ts';
import type { Db } from '../infra/database.ts';
import { columns, columnsSql, toRow } from './columns.ts';
import { oldestFirst, type Page, type PageRequest, pageOf } from './page.ts';

const FIELDS = [
  'id',
  'orgId',
  'workspaceId',
  'integrationName',
  'workspaceIntegrationId',
  'actionName',
  'triggerName',
  'name',
  'description',
  'values',
  'enforcedKeys',
  'isDefault',
  'createdAt',
  'updatedAt',
] as const satisfies readonly (keyof InputPartial)[];

const COLUMNS = columns<InputPartial>(...FIELDS);
const JSON_FIELDS = ['values'];

/** A partial (preset input) with the alias of its workspace integration; null if it has none. */
export interface PlacedPartial extends InputPartial {
  integrationAlias: string | null;
}

export type NewPartial = Omit<InputPartial, 'id' | 'createdAt' | 'updatedAt'>;

export async function insertPartial(db: Db, partial: NewPartial): Promise<PlacedPartial> {
  const [{ id }] = await db('partials').insert(toRow(partial, JSON_FIELDS)).returning('id');
  return (await findPartial(db, partial.orgId, id))!;
}

export async function findPartial(db: Db, orgId: string, id: string): Promise<PlacedPartial | undefined> {
  return placed(db('partials as p').where({ 'p.org_id': orgId, 'p.id': id })).first();
}

/** Returns all partials of a workspace, oldest first. */
export async function listPartialsOfWorkspace(db: Db, workspaceId: string): Promise<InputPartial[]> {
  return db('partials')
    .select(COLUMNS)
    .where({ workspace_id: workspaceId })
    .orderBy([{ column: 'created_at' }, { column: 'id' }]);
}

/** Returns the number of a workspace's partials, and the bytes of their values and keys as JSON. */
export async function measurePartials(db: Db, workspaceId: string): Promise<{ count: number; sizeBytes: number }> {
  const size = `octet_length("values"::text) + octet_length(to_json(enforced_keys)::text)`;
  const [row] = await db('partials')
    .where({ workspace_id: workspaceId })
    .select(db.raw(`count(*)::int as count, coalesce(sum(${size}), 0)::int as "sizeBytes"`));
  return row;
}

export interface PartialFilter {
  orgId: string;
  workspaceIds?: readonly string[] | undefined;
  integrationName?: string | undefined;
  workspaceIntegrationId?: string | undefined;
  integrationAlias?: string | undefined;
  actionName?: string | undefined;
}

/** Returns one page of the matching partials, oldest first, with the exact total. */
export async function listPartials(db: Db, filter: PartialFilter, page: PageRequest): Promise<Page<PlacedPartial>> {
  const { orgId, workspaceIds, integrationAlias, ...target } = filter;
  const all = db('partials').where(toRow({ orgId, ...target }));
  if (workspaceIds) all.whereIn('workspace_id', [...workspaceIds]);
  if (integrationAlias !== undefined)
    all.whereIn('workspace_integration_id', db('workspace_integrations').select('id').where({ org_id: orgId, alias: integrationAlias }));
  return pageOf(all, page, (ids) => placed(db('partials as p').whereIn('p.id', ids)).orderBy(oldestFirst('p')));
}

export async function updatePartial(db: Db, orgId: string, id: string, changes: Partial<NewPartial>): Promise<PlacedPartial | undefined> {
  const updated = await db('partials')
    .where({ org_id: orgId, id })
    .update({ ...toRow(changes, JSON_FIELDS), updated_at: db.fn.now() });
  return updated > 0 ? findPartial(db, orgId, id) : undefined;
}

/** Removes the default mark from the current default partial of exactly this target. */
export async function clearDefaultPartial(
  db: Db,
  target: Pick<InputPartial, 'workspaceId' | 'integrationName' | 'workspaceIntegrationId' | 'actionName' | 'triggerName'>,
): Promise<void> {
  await db('partials')
    .where({ ...toRow(target), is_default: true })
    .update({ is_default: false, updated_at: db.fn.now() });
}

export async function deletePartial(db: Db, orgId: string, id: string): Promise<boolean> {
  return (await db('partials').where({ org_id: orgId, id }).delete()) > 0;
}

function placed(query: ReturnType<Db>) {
  return query
    .leftJoin('workspace_integrations as i', 'i.id', 'p.workspace_integration_id')
    .select(query.client.raw(columnsSql<InputPartial>('p', ...FIELDS)), 'i.alias as integrationAlias');
}
