import type { EndUser } from '../domain/end-user.ts';
import { GatewayError } from '../domain/errors.ts';
import type { Db } from '../infra/database.ts';
import { holdEndUserByExternalId, upsertEndUser } from '../store/end-users.ts';
import { holdWorkspace } from '../store/workspaces.ts';

/**
 * The end user of that externalId, created when the workspace has none yet; racing callers get the same one. In a transaction it cannot be
 * deleted before the end, so that what is tied to it finds it there. Throws NOT_FOUND when the workspace is gone.
 */
export async function ensureEndUser(db: Db, key: Pick<EndUser, 'orgId' | 'workspaceId' | 'externalId'>): Promise<EndUser> {
  const isThere = await holdWorkspace(db, key.orgId, key.workspaceId);
  const endUser = isThere ? ((await holdEndUserByExternalId(db, key)) ?? (await upsertEndUser(db, key))) : undefined;
  if (!endUser) throw new GatewayError('NOT_FOUND', 'There is no such workspace.');
  return endUser;
}
