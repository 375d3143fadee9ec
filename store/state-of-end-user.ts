import type { Db } from '../infra/database.ts';
import { ownerColumns } from './state-owner.ts';

const TABLES = ['kv_entries', 'stored_files', 'memory_relations', 'memory_entities', 'scratchpad_pages', 'thoughts'] as const;

/** Deletes the state that built-in integrations hold for one end user. */
export async function deleteStateOfEndUser(db: Db, user: { orgId: string; workspaceId: string; externalId: string }): Promise<void> {
  const { orgId, workspaceId, externalId } = user;
  for (const table of TABLES)
    await db(table)
      .where(ownerColumns({ orgId, workspaceId, scope: 'end_user', scopeKey: externalId }))
      .delete();
  await db('sandbox_workspaces').where({ org_id: orgId, workspace_id: workspaceId, end_user_id: externalId }).delete();
}
