import type { Approval } from '../domain/approval.ts';
import type { RecordedApprover } from '../domain/policies/policy.ts';
import type { Db } from '../infra/database.ts';
import { ASKING_MEMBER } from './approval-reviews.ts';
import { APPROVAL_COLUMNS } from './approvals.ts';

/** Names of what an approval is about; null where it is deleted or has none. */
export interface ApprovalNames {
  id: string;
  workspaceName: string | null;
  keyName: string | null;
  memberName: string | null;
  serverName: string | null;
}

/** Names for the approvals with these ids. */
export async function listApprovalNames(db: Db, ids: readonly string[]): Promise<ApprovalNames[]> {
  return db('approvals as a')
    .leftJoin('workspaces as w', { 'w.org_id': 'a.org_id', 'w.id': 'a.workspace_id' })
    .leftJoin('mcp_servers as s', { 's.org_id': 'a.org_id', 's.id': 'a.mcp_server_id' })
    .leftJoin('api_keys as k', (on) =>
      on.on('k.org_id', 'a.org_id').andOn(db.raw("a.requested_by_type = 'api_key' and k.id::text = a.requested_by_id")),
    )
    .whereIn('a.id', [...ids])
    .select({ id: 'a.id', workspaceName: 'w.name', keyName: 'k.name', serverName: 's.name', memberName: db.raw(ASKING_MEMBER) });
}

/** Waiting approvals that are counted. */
const MAX_COUNTED = 1000;

/**
 * Waiting approvals of an organization by who may decide them, at most `MAX_COUNTED` and one more:
 * the banner of every page asks for them.
 */
export async function countWaitingByApprovers(db: Db, orgId: string): Promise<{ approvers: RecordedApprover[]; total: number }[]> {
  const waiting = db('approvals')
    .select('approvers')
    .where({ org_id: orgId, status: 'pending' })
    .where('expires_at', '>', db.fn.now())
    .limit(MAX_COUNTED + 1)
    .as('waiting');
  return db(waiting).groupBy('approvers').select('approvers', db.raw('count(*)::int as total'));
}

/** Waiting approvals, the oldest first. */
export async function listWaiting(db: Db, orgId: string, limit: number): Promise<Approval[]> {
  return db('approvals')
    .select(APPROVAL_COLUMNS)
    .where({ org_id: orgId, status: 'pending' })
    .where('expires_at', '>', db.fn.now())
    .orderBy([{ column: 'created_at' }, { column: 'id' }])
    .limit(limit);
}

/** Approvals of an organization with these ids, in no order. */
export async function listApprovalsWithIds(db: Db, orgId: string, ids: readonly string[]): Promise<Approval[]> {
  if (ids.length === 0) return [];
  return db('approvals')
    .select(APPROVAL_COLUMNS)
    .where({ org_id: orgId })
    .whereIn('id', [...ids]);
}
