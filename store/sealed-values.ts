import type { Db } from '../infra/database.ts';
import type { SealedPlace } from '../infra/vault.ts';

/** A sealed value and its place in the database. */
export interface SealedValue {
  place: SealedPlace;
  sealed: Buffer;
}

/** All columns with values that the vault has sealed. */
const COLUMNS = [
  { table: 'connections', column: 'sealed_credentials', workspace: 'workspace_id' },
  { table: 'oauth_apps', column: 'sealed_client_secret', workspace: 'null::uuid' },
  { table: 'custom_integrations', column: 'sealed_fetch', workspace: 'null::uuid' },
  { table: 'webhook_endpoints', column: 'sealed_secret', workspace: 'workspace_id' },
  { table: 'webhook_endpoints', column: 'former_sealed_secret', workspace: 'workspace_id' },
] as const;

/**
 * Returns at most `limit` values whose encryption is not bound to their workspace, from all
 * organizations.
 */
export async function listSealedWithoutWorkspace(db: Db, limit: number): Promise<SealedValue[]> {
  const found: SealedValue[] = [];
  for (const { table, column, workspace } of COLUMNS) {
    const rows = await db(table)
      .select('id', 'org_id as orgId', db.raw(`${workspace} as "workspaceId"`), `${column} as sealed`)
      .whereNotNull(column)
      .whereRaw('get_byte(??, 0) = 1', [column])
      .orderBy('id')
      .limit(limit - found.length);
    found.push(...rows.map(({ id, orgId, workspaceId, sealed }) => ({ place: { table, column, orgId, workspaceId, rowId: id }, sealed })));
    if (found.length === limit) break;
  }
  return found;
}

/**
 * Replaces a value with its resealed form. Returns false if the value was changed in the meantime.
 */
export async function replaceSealedValue(db: Db, { place, sealed }: SealedValue, replacement: Buffer): Promise<boolean> {
  const { table, column, rowId } = place;
  const replaced = await db(table)
    .where({ id: rowId, [column]: sealed })
    .update({ [column]: replacement });
  return replaced > 0;
}
