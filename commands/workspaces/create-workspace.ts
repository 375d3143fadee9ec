import { GatewayError } from '../../domain/errors.ts';
import type { Workspace } from '../../domain/workspace.ts';
import { isDuplicate } from '../../infra/database.ts';
import { insertWorkspace } from '../../store/workspaces.ts';
import type { Gateway } from '../gateway.ts';

/** Creates a workspace. Throws DUPLICATE if the organization already has the slug. */
export async function createWorkspace(gateway: Gateway, workspace: Pick<Workspace, 'orgId' | 'name' | 'slug'>): Promise<Workspace> {
  return insertWorkspace(gateway.db, workspace).catch(refuseTakenSlug);
}

/** Maps a violated unique constraint on the slug to DUPLICATE. */
export function refuseTakenSlug(error: unknown): never {
  if (isDuplicate(error)) throw new GatewayError('DUPLICATE', 'Another workspace of this organization has this slug.');
  throw error;
}
