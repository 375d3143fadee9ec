import type { Approval } from '../domain/approval.ts';
import type { EndUser } from '../domain/end-user.ts';
import type { Db } from '../infra/database.ts';
import { APPROVAL_COLUMNS } from './approvals.ts';

/**
 * Pending approvals of an end user that the end user may decide, earliest expiry first, at most
 * `limit`.
 */
export async function listPendingForEndUser(
  db: Db,
  { orgId, workspaceId, externalId }: Pick<EndUser, 'orgId' | 'workspaceId' | 'externalId'>,
  limit: number,
): Promise<Approval[]> {
  return db('approvals')
    .select(APPROVAL_COLUMNS)
    .where({ org_id: orgId, workspace_id: workspaceId, end_user_id: externalId })
    .andWhereRaw(`status = 'pending' and approvers @> '[{"type":"end_user"}]' and expires_at > now()`)
    .orderBy([{ column: 'expires_at' }, { column: 'id' }])
    .limit(limit);
}
