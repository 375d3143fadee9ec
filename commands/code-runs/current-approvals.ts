import type { Approval } from '../../domain/approval.ts';
import { listRunApprovals } from '../../store/approvals.ts';
import type { RunApproval } from '../../store/code-run-approvals.ts';
import type { Gateway } from '../gateway.ts';

/**
 * The approvals that decide how a run continues: those of its current plan, and the latest of each
 * call.
 */
export async function findCurrentApprovals({ runReader }: Pick<Gateway, 'runReader'>, codeRunId: string): Promise<RunApproval[]> {
  return selectCurrent(await runReader.approvals(codeRunId));
}

/** The same approvals, with all fields. */
export async function listCurrentApprovals(gateway: Pick<Gateway, 'db' | 'runReader'>, codeRunId: string): Promise<Approval[]> {
  const [all, current] = await Promise.all([listRunApprovals(gateway.db, codeRunId), findCurrentApprovals(gateway, codeRunId)]);
  const currentIds = new Set(current.map(({ id }) => id));
  return all.filter(({ id }) => currentIds.has(id));
}

/**
 * Selects the current ones of all approvals of a run, oldest first. A newer request for the same
 * call replaces the older one.
 */
export function selectCurrent(approvals: readonly RunApproval[]): RunApproval[] {
  // A person's decision outranks a policy that let the same call through later.
  const byRank = [...approvals].sort((one, other) => Number(isDecidedByPolicy(other)) - Number(isDecidedByPolicy(one)));
  const latestOfCall = new Map(byRank.map(({ id, callNumber }) => [callNumber, id]));
  return approvals.filter((approval) => {
    if (approval.callNumber === null) return approval.isPlanned;
    return latestOfCall.get(approval.callNumber) === approval.id && !isSpare(approval);
  });
}

function isDecidedByPolicy({ decidedByType }: RunApproval): boolean {
  return decidedByType === 'policy';
}

/** Approved, but its call was made under another approval. It may expire unused. */
function isSpare({ status, isHeld }: RunApproval): boolean {
  return status === 'approved' && !isHeld;
}
