import type { Actor } from '../../domain/approval.ts';
import { workspaceActivity } from '../../domain/audit/setup-activity.ts';
import type { Workspace } from '../../domain/workspace.ts';
import { lockWorkspace, updateWorkspace } from '../../store/workspaces.ts';
import { changedFields } from '../audit/changed-fields.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import { refuseTakenSlug } from './create-workspace.ts';
import { noSuchWorkspace } from './get-workspace.ts';

/** Changes the name or slug of a workspace, or both. Throws DUPLICATE and NOT_FOUND. */
export async function renameWorkspace(
  gateway: Gateway,
  by: Actor,
  { orgId, id, name, slug }: { orgId: string; id: string; name?: string | undefined; slug?: string | undefined },
): Promise<Workspace> {
  const changes = { ...(name !== undefined && { name }), ...(slug !== undefined && { slug }) };
  const rename = gateway.db.transaction(async (tx) => {
    const before = await lockWorkspace(tx, orgId, id);
    const renamed = before && (await updateWorkspace(tx, orgId, id, changes));
    if (!renamed) throw noSuchWorkspace();
    const changed = changedFields(before, renamed, ['name', 'slug']);
    if (changed.length > 0) await recordActivity(tx, workspaceActivity('workspace.updated', renamed, by, { changed }));
    return renamed;
  });
  return rename.catch(refuseTakenSlug);
}
