import type { Approval } from '../domain/approval.ts';
import { listRunApprovals } from '../store/approvals.ts';
import { findPlan } from '../store/code-runs.ts';
import { listHeldCallNumbers } from '../store/journal.ts';
import type { Gateway } from './gateway.ts';
import type { RunPlan } from './plan-code-run.ts';

/** The approvals that a run goes by: those of its present plan, and the last one of each call. What was asked anew leaves the old one behind. */
export async function listStandingApprovals(gateway: Gateway, codeRunId: string): Promise<Approval[]> {
  return (await readStanding(gateway, codeRunId)).approvals;
}

/** The same, and the present plan of the run. */
export async function readStanding(gateway: Gateway, codeRunId: string): Promise<{ approvals: Approval[]; plan: RunPlan | undefined }> {
  const [approvals, plan] = await Promise.all([listRunApprovals(gateway.db, codeRunId), findPlan<RunPlan>(gateway.db, codeRunId)]);
  const lastOfCall = new Map(approvals.map(({ id, callNumber }) => [callNumber, id]));
  const planned = new Set(plan?.groups.map(({ approvalId }) => approvalId));
  const stands = ({ id, callNumber }: Approval) => (callNumber === null ? planned.has(id) : lastOfCall.get(callNumber) === id);
  return { approvals: await withoutSpare(gateway, codeRunId, approvals.filter(stands)), plan };
}

/** What people allowed of a call that was then made under something else is not waited for, and may run out. */
async function withoutSpare({ db }: Gateway, codeRunId: string, approvals: Approval[]): Promise<Approval[]> {
  const isAllowed = ({ callNumber, status }: Approval) => callNumber !== null && status === 'approved';
  if (!approvals.some(isAllowed)) return approvals;
  const held = new Set(await listHeldCallNumbers(db, codeRunId));
  return approvals.filter((approval) => !isAllowed(approval) || held.has(approval.callNumber!));
}
