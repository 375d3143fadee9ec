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
    .returning(APPROVAL_COLUMNS);
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

/** Uses up an approved approval whose receipt is still good; false when another call was first or the time is up. */
export async function consumeApproval(db: Db, id: string): Promise<boolean> {
  const consumed = await db('approvals')
    .where({ id, status: 'approved' })
    .whereExists(db('receipts').where({ approval_id: id }).andWhereRaw('expires_at > now()'))
    .update({ status: 'consumed', consumed_at: db.fn.now(), updated_at: db.fn.now() });
  return consumed > 0;
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

/** Ids of pending approvals that are overdue by a minute: their workflow should have ended them. */
export async function listForgottenApprovalIds(db: Db, limit: number): Promise<string[]> {
  const rows = await db('approvals')
    .select('id')
    .where({ status: 'pending' })
    .andWhereRaw("expires_at <= now() - interval '1 minute'")
    .limit(limit);
  return rows.map((row) => row.id);
}
