import type { Workspace } from '../../domain/workspace.ts';
import { updateWorkspace } from '../../store/workspaces.ts';
import type { Gateway } from '../gateway.ts';
import { refuseTakenSlug } from './create-workspace.ts';
import { noSuchWorkspace } from './get-workspace.ts';

/** Changes a workspace's name, slug or both. Throws DUPLICATE, and NOT_FOUND if it is gone. */
export async function renameWorkspace(
  gateway: Gateway,
  { orgId, id, name, slug }: { orgId: string; id: string; name?: string | undefined; slug?: string | undefined },
): Promise<Workspace> {
  const changes = { ...(name !== undefined && { name }), ...(slug !== undefined && { slug }) };
  const workspace = await updateWorkspace(gateway.db, orgId, id, changes).catch(refuseTakenSlug);
  if (!workspace) throw noSuchWorkspace();
  return workspace;
}
