import type { Approval } from '../domain/approval.ts';
import type { Db } from '../infra/database.ts';
import { APPROVAL_COLUMNS } from './approvals.ts';

export interface Binding {
  orgId: string;
  inputHash: string;
  policyId: string;
}

/**
 * Finds the newest approval for exactly this call: an unused approval with a valid receipt, or else
 * an unexpired pending approval. Ignores approvals of code runs.
 */
export async function findReusableApproval(db: Db, binding: Binding): Promise<Approval | undefined> {
  return db('approvals')
    .select(APPROVAL_COLUMNS)
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

/**
 * Returns the id of the last granted approval of the same call for the same end user, under the
 * same policy version and within the window. Approvals by a policy or a timeout do not count
 * (contract decisions 3).
 */
export async function findApprovedWithin(
  db: Db,
  binding: Binding & { policyVersion: number; endUserId: string | null; windowSeconds: number },
): Promise<string | undefined> {
  const found = await db('approvals')
    .where({ org_id: binding.orgId, input_hash: binding.inputHash, policy_id: binding.policyId, policy_version: binding.policyVersion })
    .whereIn('status', ['approved', 'consumed', 'expired'])
    .whereNotIn('decided_by_type', ['policy', 'timeout'])
    .andWhereRaw('end_user_id is not distinct from ?', [binding.endUserId])
    .andWhereRaw("decided_at > now() - ? * interval '1 second'", [binding.windowSeconds])
    .orderBy('decided_at', 'desc')
    .select('id')
    .first();
  return found?.id;
}

/** Returns ids of pending approvals of this call that have expired but were not ended yet. */
export async function listOverdueApprovalIds(db: Db, binding: Binding): Promise<string[]> {
  const rows = await db('approvals')
    .select('id')
    .where({ org_id: binding.orgId, input_hash: binding.inputHash, policy_id: binding.policyId, status: 'pending' })
    .whereNull('code_run_id')
    .andWhereRaw('expires_at <= now()');
  return rows.map((row) => row.id);
}

/**
 * Returns true if an open approval with this idempotency key is for another request and another
 * final input.
 */
export async function findKeyConflict(
  db: Db,
  key: { workspaceId: string; idempotencyKey: string; inputHash: string; requestHash?: string | undefined },
): Promise<boolean> {
  const found = await db('approvals')
    .select('id')
    .where({ workspace_id: key.workspaceId, idempotency_key: key.idempotencyKey })
    .whereIn('status', ['pending', 'approved'])
    .whereNot({ input_hash: key.inputHash })
    .andWhereRaw('request_hash is distinct from ?', [key.requestHash ?? null])
    .andWhereRaw('expires_at > now()')
    .first();
  return found !== undefined;
}

/** Returns the id of the last approval of this call that was consumed at or after `since`. */
export async function findApprovalUsedSince(db: Db, binding: Binding, since: Date): Promise<string | undefined> {
  const row = await db('approvals')
    .select('id')
    .where({ org_id: binding.orgId, input_hash: binding.inputHash, policy_id: binding.policyId, status: 'consumed' })
    .whereNull('code_run_id')
    .andWhere('consumed_at', '>=', since)
    .orderBy('consumed_at', 'desc')
    .first();
  return row?.id;
}
