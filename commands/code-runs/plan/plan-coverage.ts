import type { CallEntry } from '../../../domain/call.ts';
import type { PlannedCall, RunPlan } from './plan-code-run.ts';

/**
 * Which approvals of a plan cover the calls of a pass. A predicted call that does not repeat is
 * covered once.
 */
export interface PlanCoverage {
  /**
   * The approvals that cover this call, by policy. Each covers it once. `connection` is undefined
   * for a call that was made already.
   */
  claim(call: { alias: string; action: string; inputHash: string; connection: string | null | undefined }): Record<string, string>;
}

/** The coverage of a plan, without what calls of earlier passes have used up. */
export function openCoverage(plan: Pick<RunPlan, 'groups'>, made: readonly CallEntry[] = []): PlanCoverage {
  const groups = plan.groups.map((group) => ({ ...group, left: [...group.calls] }));
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

/**
 * The planned call with exactly this input; otherwise one with an unknown input and the same
 * account.
 */
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
