import { GatewayError } from '../domain/errors.ts';
import type { Db } from '../infra/database.ts';
import { raiseSurfaceVersion } from '../store/workspaces.ts';
import { inTurn } from './in-turn.ts';

/**
 * Runs a change to what a workspace's MCP servers offer in one transaction. Such changes of one workspace come one after another, and
 * every process sees them in its next request. When the workspace is gone, and all in it, it throws `gone`: NOT_FOUND unless said.
 */
export async function changeSurface<Result>(
  db: Db,
  workspaceId: string,
  change: (tx: Db) => Promise<Result>,
  gone = () => new GatewayError('NOT_FOUND', 'There is no such workspace.'),
): Promise<Result> {
  const transact = () =>
    db.transaction(async (tx) => {
      if (!(await raiseSurfaceVersion(tx, workspaceId))) throw gone();
      return change(tx);
    });
  return inTurn(workspaceId, transact);
}
