import type { Approval } from '../domain/approval.ts';
import type { RecordedApprover } from '../domain/policies/policy.ts';
import type { Db } from '../infra/database.ts';
import { ASKING_MEMBER } from './approval-reviews.ts';
import { APPROVAL_COLUMNS } from './approvals.ts';

/** Names of the records that an approval refers to. Null if there is no such record. */
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

/** A set of approvers that waiting approvals share. */
export interface WaitingGroup {
  hash: string;
  approvers: RecordedApprover[];
}

const HASH = 'jsonb_hash_extended(approvers, 0)';

/** The distinct sets of approvers of an organization's waiting approvals. */
export async function listWaitingGroups(db: Db, orgId: string): Promise<WaitingGroup[]> {
  const next = (after: string) =>
    `(select ${HASH} as hash, approvers from approvals where org_id = :orgId and status = 'pending' ${after} order by ${HASH} limit 1)`;
  const { rows } = await db.raw(
    `with recursive groups as (
       ${next('')}
       union all
       select following.* from groups cross join lateral ${next(`and ${HASH} > groups.hash`)} following
     ) select hash::text, approvers from groups`,
    { orgId },
  );
  return rows;
}

/** Waiting approvals of groups, in one workspace if `workspaceId` is set. */
export interface WaitingOf {
  orgId: string;
  groups: readonly WaitingGroup[];
  workspaceId?: string | undefined;
}

/** The number of waiting approvals, at most `limit`. */
export async function countWaiting(db: Db, of: WaitingOf, limit: number): Promise<number> {
  const [counted] = await db(waitingOf(db, of, limit).as('waiting')).select<{ total: number }[]>(db.raw('count(*)::int as total'));
  return counted!.total;
}

/** Waiting approvals, oldest first, at most `limit`. */
export async function listWaiting(db: Db, of: WaitingOf, limit: number): Promise<Approval[]> {
  return db('approvals')
    .select(APPROVAL_COLUMNS)
    .whereIn('id', waitingOf(db, of, limit))
    .orderBy(OLDEST_FIRST);
}

const OLDEST_FIRST = [{ column: 'created_at' }, { column: 'id' }];

/** Reads from each group only its oldest approvals. */
function waitingOf(db: Db, { orgId, groups, workspaceId }: WaitingOf, limit: number) {
  const ofGroup = db('approvals')
    .select('id', 'created_at')
    .where({ org_id: orgId, status: 'pending', ...(workspaceId !== undefined && { workspace_id: workspaceId }) })
    .whereRaw(`${HASH} = groups.hash`)
    .where('expires_at', '>', db.fn.now())
    .orderBy(OLDEST_FIRST)
    .limit(limit);
  const hashes = groups.map(({ hash }) => hash);
  return db
    .from(db.raw('unnest(?::bigint[]) as groups(hash) cross join lateral (?) as waiting', [hashes, ofGroup]))
    .select('waiting.id')
    .orderBy(OLDEST_FIRST)
    .limit(limit);
}

/** Approvals with these ids, in no particular order. */
export async function listApprovalsWithIds(db: Db, orgId: string, ids: readonly string[]): Promise<Approval[]> {
  if (ids.length === 0) return [];
  return db('approvals')
    .select(APPROVAL_COLUMNS)
    .where({ org_id: orgId })
    .whereIn('id', [...ids]);
}
