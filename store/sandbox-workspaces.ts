import type { Knex } from 'knex';
import type { Db } from '../infra/database.ts';

/**
 * The owner of a workspace folder: a workspace integration and an end user. The id of the end user
 * is empty for calls without an end user.
 */
export interface SandboxWorkspaceOwner {
  orgId: string;
  workspaceId: string;
  workspaceIntegrationId: string;
  endUserId: string;
}

export interface SandboxFile {
  path: string;
  content: Buffer;
  isExecutable: boolean;
}

/** Notification channel: a workspace folder was released. The payload is `sandboxKey`. */
export const SANDBOX_RELEASED = 'sandbox_released';

export function sandboxKey({ workspaceIntegrationId, endUserId }: SandboxWorkspaceOwner): string {
  return `${workspaceIntegrationId}/${endUserId}`;
}

/** Takes the lease of a folder for `seconds`; false while another run holds the lease. */
export async function holdSandboxWorkspace(db: Db, owner: SandboxWorkspaceOwner, holder: string, seconds: number): Promise<boolean> {
  const { rows } = await db.raw(
    `insert into sandbox_workspaces (org_id, workspace_id, workspace_integration_id, end_user_id, held_by, held_until)
     values (?, ?, ?, ?, ?, now() + ? * interval '1 second')
     on conflict (workspace_integration_id, end_user_id) do update
       set held_by = excluded.held_by, held_until = excluded.held_until, updated_at = now()
       where sandbox_workspaces.held_until is null or sandbox_workspaces.held_until < now()
     returning 1`,
    [owner.orgId, owner.workspaceId, owner.workspaceIntegrationId, owner.endUserId, holder, seconds],
  );
  return rows.length > 0;
}

/** Locks the lease until the transaction ends; false if the holder no longer has the lease. */
export async function lockHeldSandboxWorkspace(tx: Knex.Transaction, owner: SandboxWorkspaceOwner, holder: string): Promise<boolean> {
  const row = await workspaceOf(tx, owner).where({ held_by: holder }).forUpdate().first('held_by');
  return row !== undefined;
}

/** Releases the lease if the holder still has it, and notifies waiting runs. */
export async function releaseSandboxWorkspace(db: Db, owner: SandboxWorkspaceOwner, holder: string): Promise<void> {
  const freed = await workspaceOf(db, owner).where({ held_by: holder }).update({ held_by: null, held_until: null });
  if (freed > 0) await db.raw(`select pg_notify('${SANDBOX_RELEASED}', ?)`, [sandboxKey(owner)]);
}

export async function listSandboxFiles(db: Db, owner: SandboxWorkspaceOwner): Promise<SandboxFile[]> {
  return filesOf(db, owner).select('path', 'content', 'is_executable as isExecutable').orderBy('path');
}

/** Inserts or replaces a file. */
export async function putSandboxFile(db: Db, owner: SandboxWorkspaceOwner, file: SandboxFile): Promise<void> {
  const { path, content, isExecutable } = file;
  await db('sandbox_files')
    .insert({ ...keyOf(owner), path, content, is_executable: isExecutable })
    .onConflict(['workspace_integration_id', 'end_user_id', 'path'])
    .merge({ content, is_executable: isExecutable });
}

export async function deleteSandboxFiles(db: Db, owner: SandboxWorkspaceOwner, paths: readonly string[]): Promise<void> {
  if (paths.length > 0) await filesOf(db, owner).whereIn('path', paths).delete();
}

function workspaceOf(db: Db, owner: SandboxWorkspaceOwner) {
  return db('sandbox_workspaces').where(keyOf(owner));
}

function filesOf(db: Db, owner: SandboxWorkspaceOwner) {
  return db('sandbox_files').where(keyOf(owner));
}

function keyOf({ workspaceIntegrationId, endUserId }: SandboxWorkspaceOwner) {
  return { workspace_integration_id: workspaceIntegrationId, end_user_id: endUserId };
}
