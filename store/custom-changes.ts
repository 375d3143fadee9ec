import type { ChangeStatus, CustomChange } from '../domain/custom-integrations/custom-integration.ts';
import type { Db } from '../infra/database.ts';
import { columns, toRow } from './columns.ts';
import type { Page, PageRequest } from './page.ts';

/** A change with the new content, which is applied if the change is accepted. */
export interface StoredChange extends CustomChange {
  after: Record<string, unknown> | null;
  afterHash: string;
}

const FIELDS = [
  'id',
  'integrationId',
  'kind',
  'actionName',
  'status',
  'fields',
  'fieldCount',
  'isComplete',
  'contentDigest',
  'detectedAt',
  'detectedBy',
  'decidedAt',
  'decidedById',
  'reason',
] as const satisfies readonly (keyof CustomChange)[];
const COLUMNS = columns<CustomChange>(...FIELDS);
const ALL_COLUMNS = columns<StoredChange>(...FIELDS, 'after', 'afterHash');

export type NewChange = Omit<StoredChange, 'id' | 'status' | 'detectedAt' | 'decidedAt' | 'decidedById' | 'reason'>;

/** Changes of an integration with equal keys are the same change. */
export type ChangeKey = Pick<StoredChange, 'kind' | 'actionName' | 'afterHash'>;

/** The content of a change can be long, and a statement has a time limit. */
const CHUNK = 20;

export async function insertChanges(
  db: Db,
  changes: readonly NewChange[],
  status: 'pending' | 'accepted',
  decidedById?: string,
): Promise<CustomChange[]> {
  const found: CustomChange[] = [];
  const decided = status === 'accepted' ? { decided_at: db.fn.now(), decided_by_id: decidedById } : {};
  for (let start = 0; start < changes.length; start += CHUNK) {
    const rows = changes.slice(start, start + CHUNK).map((change) => ({ ...toRow(change, ['fields', 'after']), status, ...decided }));
    found.push(...(await db('custom_changes').insert(rows).returning(COLUMNS)));
  }
  return found;
}

/** Returns a page of changes, newest first, with the exact total. */
export async function pageChanges(
  db: Db,
  integrationId: string,
  status: ChangeStatus | undefined,
  page: PageRequest,
): Promise<Page<CustomChange>> {
  const matching = db('custom_changes').where({ integration_id: integrationId, ...(status && { status }) });
  const [items, counted] = await Promise.all([
    matching
      .clone()
      .select(COLUMNS)
      .orderBy([
        { column: 'detected_at', order: 'desc' },
        { column: 'id', order: 'desc' },
      ])
      .limit(page.limit)
      .offset(page.offset),
    matching.clone().count({ total: '*' }).first(),
  ]);
  return { items, total: Number(counted?.total ?? 0) };
}

export async function findChange(db: Db, integrationId: string, id: string): Promise<StoredChange | undefined> {
  return db('custom_changes').select(ALL_COLUMNS).where({ integration_id: integrationId, id }).first();
}

/** Returns pending changes without their new content, oldest first. */
export async function listPendingChanges(db: Db, integrationId: string): Promise<CustomChange[]> {
  return db('custom_changes').select(COLUMNS).where({ integration_id: integrationId, status: 'pending' }).orderBy(['detected_at', 'id']);
}

export async function listPendingKeys(db: Db, integrationId: string): Promise<(ChangeKey & { id: string })[]> {
  return db('custom_changes')
    .select(columns<StoredChange>('id', 'kind', 'actionName', 'afterHash'))
    .where({ integration_id: integrationId, status: 'pending' });
}

export async function countPendingChanges(db: Db, integrationIds: readonly string[]): Promise<Map<string, number>> {
  const rows: { id: string; total: number }[] = await db('custom_changes')
    .select('integration_id as id')
    .count({ total: '*' })
    .whereIn('integration_id', [...integrationIds])
    .where({ status: 'pending' })
    .groupBy('integration_id');
  return new Map(rows.map(({ id, total }) => [id, Number(total)]));
}

/**
 * Returns the keys of rejected changes. For each kind and action, only the last decision counts.
 */
export async function listRejectedKeys(db: Db, integrationId: string): Promise<ChangeKey[]> {
  const { rows } = await db.raw(
    `select kind, action_name as "actionName", after_hash as "afterHash" from (
       select distinct on (kind, action_name) kind, action_name, after_hash, status
       from custom_changes where integration_id = ? and status in ('rejected', 'accepted')
       order by kind, action_name, decided_at desc) last
     where status = 'rejected'`,
    [integrationId],
  );
  return rows;
}

/** Gives pending changes a final status and returns them. */
export async function endChanges(
  db: Db,
  ids: readonly string[],
  end: { status: Exclude<ChangeStatus, 'pending'>; decidedById?: string; reason?: string },
): Promise<CustomChange[]> {
  if (ids.length === 0) return [];
  return db('custom_changes')
    .whereIn('id', [...ids])
    .where({ status: 'pending' })
    .update({ ...toRow(end), decided_at: db.fn.now() })
    .returning(COLUMNS);
}
