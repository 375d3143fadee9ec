import pLimit from 'p-limit';
import type { Call } from '../../../domain/call.ts';
import type { ActiveRun } from '../../../domain/code-run.ts';
import { GatewayError } from '../../../domain/errors.ts';
import { CODE_RUN } from '../../../domain/limits.ts';
import { matchPolicies, type PolicyMatch } from '../../../domain/policies/match-policies.ts';
import type { CodePlan, PredictedCall } from '../../../sandbox/plan/plan.ts';
import { hashCall } from '../../calls/hash-call.ts';
import { prepareCall } from '../../calls/prepare-call.ts';
import { resolveForAction } from '../../connections/resolve-connection.ts';
import type { Gateway } from '../../gateway.ts';
import { assessmentDeadline, matchCall } from '../../policies/match-call.ts';
import type { Surface } from '../../surfaces/surface-cache.ts';
import { bareCallOfRun, requestOfRun } from '../pass/call-of-run.ts';

/** A predicted call that needs approval. */
export interface Gated {
  predicted: PredictedCall;
  call: Call;
}

/** The predicted calls for which one policy requires approval. */
export interface Group {
  match: PolicyMatch;
  /** The call that `match` is about. */
  call: Call;
  gated: Gated[];
}

/**
 * The predicted calls that need approval, in one group for each policy. Each group is in the order
 * of the code.
 */
export async function groupByPolicy(gateway: Gateway, run: ActiveRun, surface: Surface, plan: CodePlan): Promise<Group[]> {
  const deadline = assessmentDeadline();
  const policies = await gateway.policies.of(run);
  const matched = await matchPredicted<{ match?: PolicyMatch | undefined }>(gateway, run, surface, plan, (call) =>
    // A call without a known input cannot be assessed. The risk model is asked when the call is
    // made.
    call.isKnown ? matchCall(gateway, policies, call.call, hashCall(call.call), deadline) : matchPolicies(policies, call.call),
  );
  const groups = new Map<string, Group>();
  for (const { predicted, call, found } of matched) {
    const match = found?.match;
    if (!call || match?.policy.decision !== 'require_approval') continue;
    const group = groups.get(match.policy.id) ?? { match, call, gated: [] };
    // The reviewer sees the reasons for the riskiest call.
    if ((match.risk?.score ?? 0) > (group.match.risk?.score ?? 0)) Object.assign(group, { match, call });
    group.gated.push({ predicted, call });
    groups.set(match.policy.id, group);
  }
  return [...groups.values()];
}

/** Both `call` and `refusal` are undefined for an action that does not exist. */
interface MatchedCall<Found> {
  predicted: PredictedCall;
  call: Call | undefined;
  found: Found | undefined;
  refusal: GatewayError | undefined;
}

/** Matches each predicted call that can be made. */
export async function matchPredicted<Found>(
  gateway: Gateway,
  run: ActiveRun,
  surface: Surface,
  plan: CodePlan,
  match: (predicted: { call: Call; isKnown: boolean }) => Found | Promise<Found>,
): Promise<MatchedCall<Found>[]> {
  const inFlight = pLimit(CODE_RUN.maxCallsInFlight);
  return Promise.all(
    plan.calls.map((predicted) =>
      inFlight(async () => {
        const made = await predictCall(gateway, run, surface, predicted);
        if (!made || made instanceof GatewayError) return { predicted, call: undefined, found: undefined, refusal: made };
        return { predicted, call: made, found: await match({ call: made, isKnown: predicted.inputKnown }), refusal: undefined };
      }),
    ),
  );
}

async function predictCall(
  gateway: Gateway,
  run: ActiveRun,
  surface: Surface,
  predicted: PredictedCall,
): Promise<Call | GatewayError | undefined> {
  const tool = surface.find(predicted.alias, predicted.action);
  if (!tool) return undefined;
  try {
    const input = (predicted.input ?? {}) as Record<string, unknown>;
    if (predicted.inputKnown) return (await prepareCall(gateway, requestOfRun(run, tool, input))).call;
    // Policies do not see this input. They judge the real input when the call is made.
    const connection = await resolveForAction(gateway, tool.action, requestOfRun(run, tool, {}));
    const bound = { connectionId: connection?.id ?? null, connectionVersion: connection?.credentialsVersion ?? null };
    return { ...bareCallOfRun(run, tool, {}), ...bound, recipients: [], paths: [] };
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
}
