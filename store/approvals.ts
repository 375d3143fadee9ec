import type { Actor, Approval, ApprovalStatus } from '../domain/approval.ts';
import type { Db } from '../infra/database.ts';
import { columns, toRow } from './columns.ts';

const COLUMNS = columns<Approval>(
  'id',
  'orgId',
  'workspaceId',
  'policyId',
  'policyVersion',
  'policyName',
  'mcpServerId',
  'workspaceIntegrationId',
  'connectionStrategy',
  'endUserId',
  'source',
  'status',
  'integrationName',
  'integrationAlias',
  'actionName',
  'inputHash',
  'inputPreview',
  'redactedPaths',
  'riskReasons',
  'riskScore',
  'riskCategory',
  'approvalAccessMode',
  'timeoutSeconds',
  'defaultOnTimeout',
  'idempotencyKey',
  'codeRunId',
  'callNumber',
  'requestedByType',
  'requestedById',
  'decidedByType',
  'decidedById',
  'decisionReason',
  'decidedAt',
  'consumedAt',
  'expiresAt',
  'createdAt',
  'updatedAt',
);

type Given =
  | 'id'
  | 'orgId'
  | 'workspaceId'
  | 'policyId'
  | 'policyVersion'
  | 'policyName'
  | 'mcpServerId'
  | 'workspaceIntegrationId'
  | 'connectionStrategy'
  | 'endUserId'
  | 'source'
  | 'status'
  | 'integrationName'
  | 'integrationAlias'
  | 'actionName'
  | 'inputHash'
  | 'inputPreview'
  | 'redactedPaths'
  | 'riskReasons'
  | 'approvalAccessMode'
  | 'timeoutSeconds'
  | 'defaultOnTimeout'
  | 'idempotencyKey'
  | 'codeRunId'
  | 'callNumber'
  | 'requestedByType'
  | 'requestedById';
export type NewApproval = Pick<Approval, Given>;

/** Inserts an approval; its time counts from now by the database clock. */
export async function insertApproval(db: Db, approval: NewApproval): Promise<Approval> {
  const [row] = await db('approvals')
    .insert({ ...toRow(approval, ['inputPreview']), expires_at: after(db, approval.timeoutSeconds) })
    .returning(COLUMNS);
  return row;
}

/** Inserts the record of a call that a policy let through at once: consumed, decided by the policy (decisions section 3). */
export async function insertPolicyDecidedApproval(db: Db, approval: NewApproval): Promise<Approval> {
  const decided = { decided_by_type: 'policy', decided_by_id: approval.policyId, decided_at: db.fn.now(), consumed_at: db.fn.now() };
  const [row] = await db('approvals')
    .insert({ ...toRow(approval, ['inputPreview']), ...decided, expires_at: after(db, approval.timeoutSeconds) })
    .returning(COLUMNS);
  return row;
}

export async function findApproval(db: Db, orgId: string, id: string): Promise<Approval | undefined> {
  return db('approvals').select(COLUMNS).where({ org_id: orgId, id }).first();
}

/** Any organization's: for hosted links, whose token is the authority, and for workflows. */
export async function findApprovalById(db: Db, id: string): Promise<Approval | undefined> {
  return db('approvals').select(COLUMNS).where({ id }).first();
}

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
    .returning(COLUMNS);
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
    .returning(COLUMNS);
  return row;
}

/** Cancels, by the system, all that is pending in a workspace; answers what was canceled. */
export async function cancelPendingApprovals(db: Db, workspaceId: string, reason: string): Promise<Approval[]> {
  return db('approvals')
    .where({ workspace_id: workspaceId, status: 'pending' })
    .update({ status: 'canceled', decided_at: db.fn.now(), decided_by_type: 'system', decision_reason: reason, updated_at: db.fn.now() })
    .returning(COLUMNS);
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
    .returning(COLUMNS);
  return row;
}

export interface Binding {
  orgId: string;
  inputHash: string;
  policyId: string;
}

/** The approval of exactly this call that still counts: approved and unused first, else pending. Calls of code runs have their own. */
export async function findStandingApproval(db: Db, binding: Binding): Promise<Approval | undefined> {
  return db('approvals')
    .select(COLUMNS)
    .where({ org_id: binding.orgId, input_hash: binding.inputHash, policy_id: binding.policyId })
    .whereNull('code_run_id')
    .andWhere((either) =>
      either
        .where((pending) => pending.where({ status: 'pending' }).andWhereRaw('expires_at > now()'))
        .orWhere((approved) =>
          approved
            .where({ status: 'approved' })
            .whereExists(db('receipts').whereRaw('receipts.approval_id = approvals.id').andWhereRaw('receipts.expires_at > now()')),
        ),
    )
    .orderBy([{ column: 'status' }, { column: 'created_at', order: 'desc' }])
    .first();
}

/** True when a person approved the same call under the same policy version within the reuse window (decisions section 3). */
export async function wasApprovedWithin(
  db: Db,
  binding: Binding & { policyVersion: number; endUserId: string | null; windowSeconds: number },
): Promise<boolean> {
  const found = await db('approvals')
    .where({ org_id: binding.orgId, input_hash: binding.inputHash, policy_id: binding.policyId, policy_version: binding.policyVersion })
    .whereIn('status', ['approved', 'consumed'])
    .whereNot('decided_by_type', 'policy')
    .andWhereRaw('end_user_id is not distinct from ?', [binding.endUserId])
    .andWhereRaw("decided_at > now() - ? * interval '1 second'", [binding.windowSeconds])
    .select('id')
    .first();
  return found !== undefined;
}

/** Pending approvals of this call whose time is up but which nobody has ended yet. */
export async function listOverdueApprovalIds(db: Db, binding: Binding): Promise<string[]> {
  const rows = await db('approvals')
    .select('id')
    .where({ org_id: binding.orgId, input_hash: binding.inputHash, policy_id: binding.policyId, status: 'pending' })
    .whereNull('code_run_id')
    .andWhereRaw('expires_at <= now()');
  return rows.map((row) => row.id);
}

/** An open approval that used this idempotency key for another call. */
export async function findKeyConflict(db: Db, key: { workspaceId: string; idempotencyKey: string; inputHash: string }): Promise<boolean> {
  const found = await db('approvals')
    .select('id')
    .where({ workspace_id: key.workspaceId, idempotency_key: key.idempotencyKey })
    .whereIn('status', ['pending', 'approved'])
    .whereNot({ input_hash: key.inputHash })
    .andWhereRaw('expires_at > now()')
    .first();
  return found !== undefined;
}

/** Every approval of a code run, in the order they were asked. */
export async function listRunApprovals(db: Db, codeRunId: string): Promise<Approval[]> {
  return db('approvals')
    .select(COLUMNS)
    .where({ code_run_id: codeRunId })
    .orderBy([{ column: 'created_at' }, { column: 'id' }]);
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

export interface ApprovalFilter {
  orgId: string;
  workspaceIds?: readonly string[];
  status?: string | undefined;
  source?: string | undefined;
  integrationName?: string | undefined;
  actionName?: string | undefined;
}

/** Where a page of the list ended; rows made later don't shift it. */
export interface ApprovalCursor {
  createdAt: string;
  id: string;
}

/** Newest first, after the cursor; with the exact total of the filter. */
export async function listApprovals(
  db: Db,
  filter: ApprovalFilter,
  page: { limit: number; after?: ApprovalCursor | undefined },
): Promise<{ items: Approval[]; total: number; next: ApprovalCursor | null }> {
  const query = db('approvals').where({ org_id: filter.orgId });
  if (filter.workspaceIds) query.whereIn('workspace_id', [...filter.workspaceIds]);
  for (const [column, value] of [
    ['status', filter.status],
    ['source', filter.source],
    ['integration_name', filter.integrationName],
    ['action_name', filter.actionName],
  ] as const) {
    if (value !== undefined) query.where(column, value);
  }
  const pageQuery = query
    .clone()
    .select(COLUMNS)
    .select(db.raw(`to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "cursorAt"`));
  if (page.after) pageQuery.andWhereRaw('(created_at, id) < (?::timestamptz, ?)', [page.after.createdAt, page.after.id]);
  const [rows, counted] = await Promise.all([
    pageQuery
      .orderBy([
        { column: 'created_at', order: 'desc' },
        { column: 'id', order: 'desc' },
      ])
      .limit(page.limit + 1),
    query.clone().count({ total: '*' }).first(),
  ]);
  const items = rows.slice(0, page.limit);
  const last = items.at(-1);
  return {
    items: items.map(({ cursorAt: _, ...approval }) => approval as Approval),
    total: Number(counted?.total ?? 0),
    next: rows.length > page.limit && last ? { createdAt: last.cursorAt, id: last.id } : null,
  };
}

function after(db: Db, seconds: number) {
  return db.raw("now() + ? * interval '1 second'", [seconds]);
}
