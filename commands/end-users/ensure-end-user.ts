import { randomUUID } from 'node:crypto';
import type { Actor } from '../../domain/approval.ts';
import { endUserActivity } from '../../domain/audit/setup-activity.ts';
import type { EndUser } from '../../domain/end-user.ts';
import type { Db } from '../../infra/database.ts';
import { holdEndUserByExternalId, upsertEndUser } from '../../store/end-users.ts';
import { holdWorkspace } from '../../store/workspaces.ts';
import { activityRows } from '../audit/record-activity.ts';
import { noSuchWorkspace } from '../workspaces/get-workspace.ts';

/**
 * Finds or creates the end user with that externalId. Within a transaction, locks the end user
 * against deletion. Throws NOT_FOUND if the workspace is gone.
 */
export async function ensureEndUser(db: Db, by: Actor, key: EndUserKey): Promise<EndUser> {
  const exists = await holdWorkspace(db, key.orgId, key.workspaceId);
  const endUser = exists ? ((await holdEndUserByExternalId(db, key)) ?? (await upsert(db, by, key))) : undefined;
  if (!endUser) throw noSuchWorkspace();
  return endUser;
}

type EndUserKey = Pick<EndUser, 'orgId' | 'workspaceId' | 'externalId'>;

async function upsert(db: Db, by: Actor, key: EndUserKey): Promise<EndUser | undefined> {
  const endUser = { ...key, id: randomUUID() };
  return upsertEndUser(db, endUser, activityRows(endUserActivity('end_user.created', endUser, by)));
}
