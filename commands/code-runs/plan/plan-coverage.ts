import type { CallEntry, PlanApproval } from '../../../domain/call.ts';
import { isRecord } from '../../../domain/unknown-values.ts';
import { hashJson } from '../../calls/hash-call.ts';
import type { PlannedCall, PlannedField, RunPlan } from './plan-code-run.ts';

/**
 * Which approvals of a plan cover the calls of a pass. A predicted call covers one call, or several
 * if it repeats.
 */
export interface PlanCoverage {
  /**
   * The approvals that cover this call, by policy id. Marks the matching predicted calls as used.
   */
  claim(call: ClaimedCall): Record<string, PlanApproval>;
}

interface ClaimedCall {
  alias: string;
  action: string;
  /** The input as the code sends it. */
  input: unknown;
  /** `hashCall` of the call. */
  inputHash: string;
  connection: string | null;
}

type Group = RunPlan['groups'][number];

/** The coverage of a plan, without the predicted calls that earlier passes have used. */
export function openCoverage(plan: Pick<RunPlan, 'groups'>, made: readonly CallEntry[] = []): PlanCoverage {
  const groups = plan.groups.map((group) => ({ ...group, used: usedBefore(group, plan.groups, made) }));
  return {
    claim: (call) => {
      const covered: Record<string, PlanApproval> = {};
      for (const { policyId, approvalId, calls, used } of groups) {
        const index = bestFit(calls, used, call);
        if (index === undefined) continue;
        covered[policyId] = { approvalId, plannedCall: index };
        used.add(index);
      }
      return covered;
    },
  };
}

function usedBefore({ approvalId, calls }: Group, groups: readonly Group[], made: readonly CallEntry[]): Set<number> {
  const admitted = made.filter((call) => call.approvalId !== null && call.status !== 'gated');
  const own = admitted.filter((call) => call.approvalId === approvalId);
  const used = new Set(own.flatMap(({ plannedCall }) => plannedCall ?? []));
  const ofFormerPlan = admitted.filter(
    (call) => call.plannedCall !== null && groups.every((group) => group.approvalId !== call.approvalId),
  );
  for (const call of [...own.filter(({ plannedCall }) => plannedCall === null), ...ofFormerPlan]) {
    const index = likeliest(calls, used, call);
    if (index !== undefined) used.add(index);
  }
  return used;
}

/**
 * The predicted call that a recorded call probably used. The record names no predicted call of this
 * plan, because an earlier version of the service wrote the record, or because the approval of an
 * earlier plan admitted the call.
 */
function likeliest(planned: readonly PlannedCall[], used: ReadonlySet<number>, call: CallEntry): number | undefined {
  const free = [...planned.entries()].filter(
    ([index, item]) =>
      item.alias === (call.integrationAlias ?? '') && item.action === call.actionName && (item.repeats || !used.has(index)),
  );
  const [index] = free.find(([, item]) => item.inputHash === call.inputHash) ?? free.find(([, item]) => item.inputHash === null) ?? [];
  return index;
}

function bestFit(planned: readonly PlannedCall[], used: ReadonlySet<number>, call: ClaimedCall): number | undefined {
  let best: { index: number; certainty: number } | undefined;
  for (const [index, item] of planned.entries()) {
    if (item.alias !== call.alias || item.action !== call.action || (used.has(index) && !item.repeats)) continue;
    const certainty = certaintyOf(item, call);
    if (certainty !== undefined && (!best || certainty > best.certainty)) best = { index, certainty };
  }
  return best?.index;
}

/**
 * Infinity for the same input, otherwise the number of matching fields. Undefined if the planned
 * call does not describe the call.
 */
function certaintyOf({ inputHash, fields = [], connection }: PlannedCall, call: ClaimedCall): number | undefined {
  if (inputHash !== null) return inputHash === call.inputHash ? Infinity : undefined;
  if (connection !== call.connection || !fields.every((field) => hasField(call.input, field))) return undefined;
  return fields.length;
}

function hasField(input: unknown, { path, hash }: PlannedField): boolean {
  let value = input;
  for (const key of path) {
    if (!isRecord(value) || !Object.hasOwn(value, key)) return false;
    value = value[key];
  }
  return hashJson(value) === hash;
}
