import type { Approval } from '../../domain/approval.ts';
import { listRunApprovals } from '../../store/approvals.ts';
import type { RunApproval } from '../../store/code-run-approvals.ts';
import type { Gateway } from '../gateway.ts';

/**
 * The approvals that decide how the run continues: those of its current plan, and at most one of
 * each call. That is the latest approval that no policy decided, or else the latest.
 */
export async function findCurrentApprovals({ runReader }: Pick<Gateway, 'runReader'>, codeRunId: string): Promise<RunApproval[]> {
  return selectCurrent(await runReader.approvals(codeRunId));
}

/** Like `findCurrentApprovals`, with all fields of the approvals. */
export async function listCurrentApprovals(gateway: Pick<Gateway, 'db' | 'runReader'>, codeRunId: string): Promise<Approval[]> {
  const [all, current] = await Promise.all([listRunApprovals(gateway.db, codeRunId), findCurrentApprovals(gateway, codeRunId)]);
  const currentIds = new Set(current.map(({ id }) => id));
  return all.filter(({ id }) => currentIds.has(id));
}

/**
 * Selects the current approvals of a run. `approvals` are all approvals of the run, oldest first.
 */
export function selectCurrent(approvals: readonly RunApproval[]): RunApproval[] {
  // The decision of a person outranks a policy that later let the same call through.
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

/** Whether the call was made under another approval, so that this one can expire unused. */
function isSpare({ status, isHeld }: RunApproval): boolean {
  return status === 'approved' && !isHeld;
}
