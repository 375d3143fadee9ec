import { GatewayError } from '../domain/errors.ts';
import type { Db } from '../infra/database.ts';
import { raiseSurfaceVersion } from '../store/workspaces.ts';

/**
 * Runs a change to what a workspace's MCP servers offer in one transaction. Such changes of one workspace come one after another, and
 * every process sees them in its next request. Throws NOT_FOUND when the workspace is gone.
 */
export async function changeSurface<Result>(db: Db, workspaceId: string, change: (tx: Db) => Promise<Result>): Promise<Result> {
  return db.transaction(async (tx) => {
    if (!(await raiseSurfaceVersion(tx, workspaceId))) throw new GatewayError('NOT_FOUND', 'There is no such workspace.');
    return change(tx);
  });
}
