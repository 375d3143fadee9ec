import pLimit from 'p-limit';
import type { Call } from '../domain/call.ts';
import type { CodeRun } from '../domain/code-run.ts';
import { GatewayError } from '../domain/errors.ts';
import { CODE_RUN } from '../domain/limits.ts';
import { matchPolicies, type PolicyMatch } from '../domain/match-policies.ts';
import type { CodePlan, PredictedCall } from '../sandbox/plan.ts';
import { bareCallOfRun, requestOfRun } from './call-of-run.ts';
import type { Gateway } from './gateway.ts';
import { hashCall } from './hash-call.ts';
import { assessmentDeadline, matchCall } from './match-call.ts';
import { prepareCall } from './prepare-call.ts';
import { resolveConnection } from './resolve-connection.ts';
import type { Surface } from './surface-cache.ts';

/** A predicted call that needs a person. */
export interface Gated {
  predicted: PredictedCall;
  call: Call;
}

/** The predicted calls that one policy asks a person about. */
export interface Group {
  match: PolicyMatch;
  /** The call that the match is about. */
  call: Call;
  gated: Gated[];
}

/** The predicted calls that need a person, by the policy that asks for one, in the order of the code. */
export async function groupByPolicy(gateway: Gateway, run: CodeRun, surface: Surface, plan: CodePlan): Promise<Group[]> {
  const policies = await gateway.policies.of(run);
  const inFlight = pLimit(CODE_RUN.maxCallsInFlight);
  const deadline = assessmentDeadline();
  const matched = await Promise.all(
    plan.calls.map((predicted) =>
      inFlight(async () => {
        const call = await predictCall(gateway, run, surface, predicted);
        // Without its input a call can't be assessed, and the gate will ask of it when it is made.
        const match = predicted.inputKnown
          ? call && (await matchCall(gateway, policies, call, hashCall(call), deadline)).match
          : call && matchPolicies(policies, call).match;
        return { predicted, call, match };
      }),
    ),
  );
  const groups = new Map<string, Group>();
  for (const { predicted, call, match } of matched) {
    if (!call || match?.policy.decision !== 'require_approval') continue;
    const group = groups.get(match.policy.id) ?? { match, call, gated: [] };
    // What makes the riskiest of them risky is what the reviewer reads.
    if ((match.risk?.score ?? 0) > (group.match.risk?.score ?? 0)) Object.assign(group, { match, call });
    group.gated.push({ predicted, call });
    groups.set(match.policy.id, group);
  }
  return [...groups.values()];
}

async function predictCall(gateway: Gateway, run: CodeRun, surface: Surface, predicted: PredictedCall): Promise<Call | undefined> {
  const tool = surface.find(predicted.alias, predicted.action);
  if (!tool) return undefined;
  try {
    const input = (predicted.input ?? {}) as Record<string, unknown>;
    if (predicted.inputKnown) return (await prepareCall(gateway, requestOfRun(run, tool, input))).call;
    // Policies see the action alone; what depends on the input is left to the gate at the call.
    const integration = gateway.catalog.get(tool.integrationName);
    const connection = await resolveConnection(gateway, { ...requestOfRun(run, tool, {}), integration });
    const bound = { connectionId: connection?.id ?? null, connectionVersion: connection?.credentialsVersion ?? null };
    return { ...bareCallOfRun(run, tool, {}), ...bound, recipients: [], paths: [] };
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}
