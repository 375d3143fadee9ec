import { withKeyLock } from '../../infra/concurrency/key-lock.ts';
import type { Db } from '../../infra/database.ts';
import { raiseSurfaceVersion } from '../../store/workspaces.ts';
import { noSuchWorkspace } from '../workspaces/get-workspace.ts';

/**
 * Changes what a workspace's MCP servers offer, in one transaction. Changes of the same workspace
 * are serialized. Throws `gone` (NOT_FOUND by default) if the workspace no longer exists.
 */
export async function changeSurface<Result>(
  db: Db,
  workspaceId: string,
  change: (tx: Db) => Promise<Result>,
  gone = noSuchWorkspace,
): Promise<Result> {
  const transact = () =>
    db.transaction(async (tx) => {
      if (!(await raiseSurfaceVersion(tx, workspaceId))) throw gone();
      return change(tx);
    });
  return withKeyLock(workspaceId, transact);
}
