import type { Actor } from '../../domain/approval.ts';
import { workspaceActivity } from '../../domain/audit/setup-activity.ts';
import { GatewayError } from '../../domain/errors.ts';
import type { Workspace } from '../../domain/workspace.ts';
import { isDuplicate } from '../../infra/database.ts';
import { insertWorkspace } from '../../store/workspaces.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';

/** Creates a workspace. Throws DUPLICATE if the organization already has the slug. */
export async function createWorkspace(
  gateway: Gateway,
  by: Actor,
  workspace: Pick<Workspace, 'orgId' | 'name' | 'slug'>,
): Promise<Workspace> {
  const create = gateway.db.transaction(async (tx) => {
    const created = await insertWorkspace(tx, workspace);
    await recordActivity(tx, workspaceActivity('workspace.created', created, by));
    return created;
  });
  return create.catch(refuseTakenSlug);
}

/** Throws DUPLICATE for a taken slug. Rethrows any other error. */
export function refuseTakenSlug(error: unknown): never {
  if (isDuplicate(error)) throw new GatewayError('DUPLICATE', 'Another workspace of this organization has this slug.');
  throw error;
}
