import type { Actor, Approval, ApprovalStatus } from '../domain/approval.ts';
import type { Db } from '../infra/database.ts';
import { APPROVAL_COLUMNS } from './approvals.ts';
import { toRow } from './columns.ts';

export interface Move {
  from: ApprovalStatus;
  to: ApprovalStatus;
  by: Actor;
  reason?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
}

/** Moves an approval if it still has the status and its time is not up by the database clock; undefined if not. */
export async function moveApproval(db: Db, id: string, move: Move): Promise<Approval | undefined> {
  const [row] = await db('approvals')
    .where({ id, status: move.from })
    .andWhereRaw('expires_at > now()')
    .update({
      status: move.to,
      decided_at: db.fn.now(),
      decided_by_type: move.by.type,
      decided_by_id: move.by.id,
      decision_reason: move.reason ?? null,
      decision_metadata: move.metadata ? JSON.stringify(move.metadata) : null,
      updated_at: db.fn.now(),
    })
    .returning(APPROVAL_COLUMNS)
    .options({ name: 'move-approval' });
  return row;
}

/** Ends a pending approval whose time is up, by its defaultOnTimeout; undefined when it is not pending or not due. */
export async function timeOutApproval(db: Db, id: string): Promise<Approval | undefined> {
  const [row] = await db('approvals')
    .where({ id, status: 'pending' })
    .andWhereRaw('expires_at <= now()')
    .update({
      status: db.raw("case default_on_timeout when 'reject' then 'rejected' else 'expired' end"),
      decided_at: db.fn.now(),
      decided_by_type: 'timeout',
      updated_at: db.fn.now(),
    })
    .returning(APPROVAL_COLUMNS);
  return row;
}

/** What something that goes away takes with it; the parts narrow it down together. */
export interface Concern {
  orgId: string;
  workspaceId?: string | undefined;
  mcpServerId?: string | undefined;
  workspaceIntegrationId?: string | undefined;
  connectionId?: string | undefined;
  /** External id. */
  endUserId?: string | undefined;
  codeRunId?: string | undefined;
}

/** Cancels, by the system, all that is pending and concerns this; answers what was canceled. */
export async function cancelPendingApprovals(db: Db, concern: Concern, reason: string): Promise<Approval[]> {
  const { connectionId, workspaceIntegrationId, ...place } = concern;
  const pending = db('approvals').where({ ...toRow(place), status: 'pending' });
  if (connectionId !== undefined) pending.andWhereRaw('? = any(concerned_connection_ids)', [connectionId]);
  if (workspaceIntegrationId !== undefined) pending.andWhereRaw('? = any(concerned_integration_ids)', [workspaceIntegrationId]);
  return pending
    .update({ status: 'canceled', decided_at: db.fn.now(), decided_by_type: 'system', decision_reason: reason, updated_at: db.fn.now() })
    .returning(APPROVAL_COLUMNS);
}

/** Uses up an approved approval whose receipt is still good; undefined when another call was first or the time is up. */
export async function consumeApproval(db: Db, id: string): Promise<Approval | undefined> {
  const [consumed] = await db('approvals')
    .where({ id, status: 'approved' })
    .whereExists(db('receipts').where({ approval_id: id }).andWhereRaw('expires_at > now()'))
    .update({ status: 'consumed', consumed_at: db.fn.now(), updated_at: db.fn.now() })
    .returning(APPROVAL_COLUMNS)
    .options({ name: 'consume-approval' });
  return consumed;
}

/** Ends an approval whose receipt ran out unused. */
export async function expireUnusedApproval(db: Db, id: string): Promise<Approval | undefined> {
  const [row] = await db('approvals')
    .where({ id, status: 'approved' })
    .whereNotExists(db('receipts').where({ approval_id: id }).andWhereRaw('expires_at > now()'))
    .update({ status: 'expired', updated_at: db.fn.now() })
    .returning(APPROVAL_COLUMNS);
  return row;
}

/** The expression of the index `approvals_unused`, word for word: when the receipt of an approval ends. */
const RECEIPT_ENDS = `(decided_at at time zone 'UTC') + timeout_seconds * interval '1 second'`;

/** Ends approvals whose receipt ran out unused, the oldest first; answers them. Others may do so at the same time. Joining the receipts would read them all. */
export async function expireUnusedApprovals(db: Db, limit: number): Promise<Approval[]> {
  const unused = db('approvals')
    .select('id')
    .where({ status: 'approved' })
    .andWhereRaw(`${RECEIPT_ENDS} <= now() at time zone 'UTC'`)
    .andWhereRaw('not coalesce((select receipts.expires_at > now() from receipts where approval_id = approvals.id), false)')
    .orderByRaw(RECEIPT_ENDS)
    .limit(limit)
    .forUpdate()
    .skipLocked();
  return db('approvals')
    .andWhereRaw('id = any(array(?))', [unused])
    .update({ status: 'expired', updated_at: db.fn.now() })
    .returning(APPROVAL_COLUMNS);
}

/** Milliseconds until the time of an approval is up, by the database clock: the clocks of processes and of Temporal may be wrong. */
export async function findTimeLeftMs(db: Db, id: string): Promise<number> {
  const row = await db('approvals').where({ id }).first(db.raw('extract(epoch from expires_at - now())::float8 * 1000 as ms'));
  return Math.max(0, Math.ceil(row?.ms ?? 0));
}

/** Ids of pending approvals that are overdue by a minute: their workflow should have ended them. */
export async function listForgottenApprovalIds(db: Db, limit: number): Promise<string[]> {
  const rows = await db('approvals')
    .select('id')
    .where({ status: 'pending' })
    .andWhereRaw("expires_at <= now() - interval '1 minute'")
    .limit(limit);
  return rows.map((row) => row.id);
}
