import type { EndUser } from '../../domain/end-user.ts';
import type { Db } from '../../infra/database.ts';
import { holdEndUserByExternalId, upsertEndUser } from '../../store/end-users.ts';
import { holdWorkspace } from '../../store/workspaces.ts';
import { noSuchWorkspace } from '../workspaces/get-workspace.ts';

/**
 * Finds or creates the end user of that externalId; concurrent callers get the same one. Within a
 * transaction the row is locked against deletion until commit. Throws NOT_FOUND if the workspace is
 * gone.
 */
export async function ensureEndUser(db: Db, key: Pick<EndUser, 'orgId' | 'workspaceId' | 'externalId'>): Promise<EndUser> {
  const exists = await holdWorkspace(db, key.orgId, key.workspaceId);
  const endUser = exists ? ((await holdEndUserByExternalId(db, key)) ?? (await upsertEndUser(db, key))) : undefined;
  if (!endUser) throw noSuchWorkspace();
  return endUser;
}
