import type { Approval } from '../domain/approval.ts';
import type { Db } from '../infra/database.ts';

/** An approval of a code run: the fields that decide whether the run continues and how it ends. */
export interface RunApproval
  extends Pick<
    Approval,
    'id' | 'callNumber' | 'status' | 'decidedByType' | 'decisionReason' | 'integrationName' | 'integrationAlias' | 'actionName'
  > {
  codeRunId: string;
  /** Expiry of a pending approval, or of the receipt of an approved approval. Null otherwise. */
  expiresAt: Date | null;
  /** True if the approval belongs to the current plan of the run. */
  isPlanned: boolean;
  /** True if the code has made the call of the approval, and the call is waiting. */
  isHeld: boolean;
}

/** Returns all approvals of these code runs, oldest first. */
export async function listRunApprovalStates(db: Db, codeRunIds: readonly string[]): Promise<RunApproval[]> {
  return db('approvals')
    .join('code_runs', 'code_runs.id', 'approvals.code_run_id')
    .leftJoin('receipts', (on) => on.on('receipts.approval_id', 'approvals.id').andOnVal('approvals.status', 'approved'))
    .leftJoin('calls', (on) =>
      on
        .on('calls.code_run_id', 'approvals.code_run_id')
        .andOn('calls.call_number', 'approvals.call_number')
        .andOnVal('calls.status', 'gated'),
    )
    .select({
      id: 'approvals.id',
      codeRunId: 'approvals.code_run_id',
      callNumber: 'approvals.call_number',
      status: 'approvals.status',
      decidedByType: 'approvals.decided_by_type',
      decisionReason: 'approvals.decision_reason',
      integrationName: 'approvals.integration_name',
      integrationAlias: 'approvals.integration_alias',
      actionName: 'approvals.action_name',
    })
    .select(db.raw(`coalesce(receipts.expires_at, case approvals.status when 'pending' then approvals.expires_at end) as "expiresAt"`))
    .select(db.raw('approvals.id = any(code_runs.plan_approval_ids) as "isPlanned", calls.id is not null as "isHeld"'))
    .whereRaw('approvals.code_run_id = any(?::text[])', [codeRunIds as string[]])
    .orderBy(['approvals.created_at', 'approvals.id'])
    .options({ name: 'approval-states-of-runs' });
}
