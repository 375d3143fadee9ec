import type { Actor, Approval, ApprovalStatus } from '../domain/approval.ts';
import type { Db } from '../infra/database.ts';
import { APPROVAL_COLUMNS } from './approvals.ts';
import { toRow } from './columns.ts';

export interface ApprovalTransition {
  from: ApprovalStatus;
  to: ApprovalStatus;
  by: Actor;
  reason?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
}

/**
 * Changes the status of an approval. Undefined if it has another status, or has expired by the
 * database clock.
 */
export async function transitionApproval(db: Db, id: string, transition: ApprovalTransition): Promise<Approval | undefined> {
  const [row] = await db('approvals')
    .where({ id, status: transition.from })
    .andWhereRaw('expires_at > now()')
    .update({
      status: transition.to,
      decided_at: db.fn.now(),
      decided_by_type: transition.by.type,
      decided_by_id: transition.by.id,
      decision_reason: transition.reason ?? null,
      decision_metadata: transition.metadata ? JSON.stringify(transition.metadata) : null,
      updated_at: db.fn.now(),
    })
    .returning(APPROVAL_COLUMNS)
    .options({ name: 'transition-approval' });
  return row;
}

/**
 * Ends a pending approval that has expired, as its `defaultOnTimeout` says. Undefined if it is not
 * pending or has not expired.
 */
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

/**
 * A record that is deleted, or a code run that ends. An approval depends on it if all given fields
 * match.
 */
export interface Concern {
  orgId: string;
  workspaceId?: string | undefined;
  mcpServerId?: string | undefined;
  workspaceIntegrationId?: string | undefined;
  connectionId?: string | undefined;
  /** External id of the end user. */
  endUserId?: string | undefined;
  codeRunId?: string | undefined;
  integrationName?: string | undefined;
}

/** Cancels, as the system, the pending approvals that depend on a record, and returns them. */
export async function cancelPendingApprovals(db: Db, concern: Concern, reason: string): Promise<Approval[]> {
  const { connectionId, workspaceIntegrationId, ...place } = concern;
  const pending = db('approvals').where({ ...toRow(place), status: 'pending' });
  if (connectionId !== undefined) pending.andWhereRaw('? = any(concerned_connection_ids)', [connectionId]);
  if (workspaceIntegrationId !== undefined) pending.andWhereRaw('? = any(concerned_integration_ids)', [workspaceIntegrationId]);
  return pending
    .update({ status: 'canceled', decided_at: db.fn.now(), decided_by_type: 'system', decision_reason: reason, updated_at: db.fn.now() })
    .returning(APPROVAL_COLUMNS);
}

/**
 * Consumes an approved approval. Undefined if it is not approved, already consumed, or its receipt
 * has expired.
 */
export async function consumeApproval(db: Db, id: string): Promise<Approval | undefined> {
  const [consumed] = await db('approvals')
    .where({ id, status: 'approved' })
    .whereExists(db('receipts').where({ approval_id: id }).andWhereRaw('expires_at > now()'))
    .update({ status: 'consumed', consumed_at: db.fn.now(), updated_at: db.fn.now() })
    .returning(APPROVAL_COLUMNS)
    .options({ name: 'consume-approval' });
  return consumed;
}

/** Expires an approved approval whose receipt expired unused. */
export async function expireUnusedApproval(db: Db, id: string): Promise<Approval | undefined> {
  const [row] = await db('approvals')
    .where({ id, status: 'approved' })
    .whereNotExists(db('receipts').where({ approval_id: id }).andWhereRaw('expires_at > now()'))
    .update({ status: 'expired', updated_at: db.fn.now() })
    .returning(APPROVAL_COLUMNS);
  return row;
}

/** SQL. Must equal the expression of the index `approvals_unused`. */
const RECEIPT_ENDS = `(decided_at at time zone 'UTC') + timeout_seconds * interval '1 second'`;

/**
 * Expires approvals whose receipt expired unused, oldest first, and returns them. Several processes
 * can call this concurrently.
 */
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

/** Ids of pending approvals that expired a minute ago or more. */
export async function listForgottenApprovalIds(db: Db, limit: number): Promise<string[]> {
  const rows = await db('approvals')
    .select('id')
    .where({ status: 'pending' })
    .andWhereRaw("expires_at <= now() - interval '1 minute'")
    .limit(limit);
  return rows.map((row) => row.id);
}
