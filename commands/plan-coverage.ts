import type { CallEntry } from '../domain/call.ts';
import type { PlannedCall, RunPlan } from './plan-code-run.ts';

/** Which approvals of a plan cover the calls of a pass. A predicted call that can't repeat is covered once. */
export interface PlanCoverage {
  /** Approvals that cover this call, by policy; what covered it once is used up. `connection` is undefined for a call that was made already. */
  claim(call: { alias: string; action: string; inputHash: string; connection: string | null | undefined }): Record<string, string>;
}

/** What the plan covers, without what the calls that were made in earlier passes used up: whichever of them the code comes to first now. */
export function openCoverage(plan: RunPlan | undefined, made: readonly CallEntry[] = []): PlanCoverage {
  const groups = (plan?.groups ?? []).map((group) => ({ ...group, left: [...group.calls] }));
  const claim: PlanCoverage['claim'] = (call) => {
    const covered: Record<string, string> = {};
    for (const group of groups) {
      const index = bestFit(group.left, call);
      if (index < 0) continue;
      covered[group.policyId] = group.approvalId;
      if (!group.left[index]!.repeats) group.left.splice(index, 1);
    }
    return covered;
  };
  for (const { integrationAlias, actionName: action, inputHash, approvalId, status } of made) {
    const used = approvalId !== null && status !== 'gated';
    if (used) claim({ alias: integrationAlias ?? '', action, inputHash, connection: undefined });
  }
  return { claim };
}

/** The call predicted with exactly this input, else one whose input was not known and that would act with the same account. */
function bestFit(
  planned: PlannedCall[],
  call: { alias: string; action: string; inputHash: string; connection: string | null | undefined },
): number {
  const same = (item: PlannedCall) => item.alias === call.alias && item.action === call.action;
  const exact = planned.findIndex((item) => same(item) && item.inputHash === call.inputHash);
  return exact >= 0
    ? exact
    : planned.findIndex(
        (item) => same(item) && item.inputHash === null && (call.connection === undefined || item.connection === call.connection),
      );
}
