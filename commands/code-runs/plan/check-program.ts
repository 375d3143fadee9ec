import type { ActiveRun } from '../../../domain/code-run.ts';
import type { McpServer } from '../../../domain/mcp-server.ts';
import { judgePolicy, matchPolicies } from '../../../domain/policies/match-policies.ts';
import type { Policy } from '../../../domain/policies/policy.ts';
import { actorOf, type KeyPrincipal } from '../../../domain/principal.ts';
import type { CodePlan, PredictedCall } from '../../../sandbox/plan/plan.ts';
import { readProgram } from '../../../sandbox/reader/read-code.ts';
import { hashCall } from '../../calls/hash-call.ts';
import type { Gateway } from '../../gateway.ts';
import { matchWithoutAsking } from '../../policies/match-call.ts';
import { matchPredicted } from './group-by-policy.ts';
import { hashCode } from './plan-code-run.ts';

/** A call that was found in a program. */
export interface CheckedCall extends Pick<PredictedCall, 'alias' | 'action' | 'inputKnown' | 'repeats' | 'line'> {
  /** False if the call cannot be made, for example because an account is missing. */
  isPossible: boolean;
  /** Why the call cannot be made, if known. */
  refusal: string | undefined;
  /**
   * The policy that probably decides. Undefined if no policy applies or the call cannot be made.
   */
  policy: Policy | undefined;
  /** True if the decision depends on the risk model, which is asked only when the call is made. */
  dependsOnModel: boolean;
}

/** The predictions about a program before it runs. */
export interface CheckedProgram extends Pick<CodePlan, 'analysisConfidence' | 'dynamicSignals' | 'externalDomains'> {
  calls: CheckedCall[];
}

/** Predicts the calls of a program and the decisions of policies. Stores nothing. */
export async function checkProgram(gateway: Gateway, principal: KeyPrincipal, server: McpServer, code: string): Promise<CheckedProgram> {
  const { id: serverId, orgId, workspaceId } = server;
  const surface = await gateway.surfaces.of({ serverId, orgId, workspaceId });
  const { plan } = await readProgram(code, surface.actions, orgId);
  const run = runOf(server, principal, code);
  const policies = await gateway.policies.of(run);
  const matched = await matchPredicted(gateway, run, surface, plan, ({ call, isKnown }) =>
    isKnown ? matchWithoutAsking(gateway, policies, call, hashCall(call), judgePolicy) : matchPolicies(policies, call),
  );
  const { analysisConfidence, dynamicSignals, externalDomains } = plan;
  const calls = matched.map(({ predicted: { alias, action, inputKnown, repeats, line }, call, found, refusal }) => ({
    ...{ alias, action, inputKnown, repeats, line },
    isPossible: call !== undefined,
    refusal: refusal?.message,
    policy: found?.match?.policy ?? found?.unassessed,
    dependsOnModel: found?.unassessed !== undefined,
  }));
  return { analysisConfidence, dynamicSignals, externalDomains, calls };
}

/** A run that is only used to predict calls. */
function runOf(server: McpServer, principal: KeyPrincipal, code: string): ActiveRun {
  const { type: requestedByType, id: requestedById } = actorOf(principal);
  return {
    ...{ id: 'crun_check', orgId: server.orgId, workspaceId: server.workspaceId, mcpServerId: server.id },
    ...{ endUserId: server.endUserExternalId, requestedByType, requestedById, status: 'running', code, codeHash: hashCode(code) },
    ...{
      toolSurfaceHash: null,
      passNumber: 0,
      runningMs: 0,
      createdAt: new Date(),
      clockStartedAt: null,
      lastPass: null,
      replayVersion: null,
    },
  };
}
