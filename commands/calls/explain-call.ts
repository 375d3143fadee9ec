import type { Call } from '../../domain/call.ts';
import { GatewayError } from '../../domain/errors.ts';
import type { InputPartial } from '../../domain/input-partial.ts';
import type { GatedCall } from '../../domain/judged-call.ts';
import { judgeShadows, type ShadowJudgement } from '../../domain/policies/judge-shadows.ts';
import { judgePolicy, type PolicyJudgement } from '../../domain/policies/match-policies.ts';
import type { Policy } from '../../domain/policies/policy.ts';
import { explainFilters } from '../../domain/policies/policy-filters.ts';
import type { KeyPrincipal } from '../../domain/principal.ts';
import { type Preview, previewInput } from '../../domain/redaction/preview-input.ts';
import { breathe } from '../../infra/event-loop/breathe.ts';
import { shownReasons } from '../approvals/request-approval.ts';
import type { ChosenConnection } from '../connections/resolve-connection.ts';
import type { Gateway } from '../gateway.ts';
import { matchWithoutAsking } from '../policies/match-call.ts';
import { getWorkspace } from '../workspaces/get-workspace.ts';
import { type PredictedApproval, predictApproval } from './gate/direct-call.ts';
import { hashCallInTurns } from './hash-call.ts';
import { type PreparedCall, prepareCall } from './prepare-call.ts';
import { type ExecuteAction, requestOfAction } from './request-of-action.ts';

/** The outcome that the gate (`admitCall`) would give a call now. */
export type ForeseenOutcome =
  /** The call is refused before any policy is matched. */
  | { kind: 'refused'; error: GatewayError }
  /** `policy` is undefined if no policy applies. */
  | { kind: 'runs'; policy: Policy | undefined }
  | { kind: 'blocked'; policy: Policy }
  /** The risk model is asked only when the call is made. */
  | { kind: 'depends_on_model'; policy: Policy }
  | (PredictedApproval & { policy: Policy });

/** A policy that was judged. Policies are in the order of the gate. */
export interface LookedAtPolicy {
  policy: Policy;
  verdict: PolicyJudgement['verdict'];
  decides: boolean;
  /** Sentences without secrets. */
  reasons: string[];
}

/** The inputs of the action that a partial sets. */
export interface AppliedPartial {
  name: string;
  inputs: { key: string; effect: 'enforced' | 'default' | 'overridden' }[];
}

/** The predicted outcome of a call. */
export interface CallExplanation {
  outcome: ForeseenOutcome;
  /** Undefined if the call is refused before its alias is known. */
  alias?: string;
  partials: AppliedPartial[];
  /** Null: the call would use no account. Undefined: refused before an account is chosen. */
  connection?: ChosenConnection | null;
  input?: Preview;
  policies: LookedAtPolicy[];
  shadows: { policy: Policy; would: ShadowJudgement['would'] }[];
}

/**
 * Predicts what `executeAction` would do with this request, without its idempotency key. Stores
 * nothing, and asks no third party and no risk model.
 */
export async function explainCall(gateway: Gateway, principal: KeyPrincipal, request: ExecuteAction): Promise<CallExplanation> {
  const known: Pick<CallExplanation, 'alias' | 'partials'> = { partials: [] };
  try {
    const { orgId, id: workspaceId, surfaceVersion } = await getWorkspace(gateway, principal, request.workspaceId);
    const action = await gateway.catalog.getAction(orgId, request.integrationName, request.actionName);
    const setup = await gateway.setups.of({ orgId, workspaceId, surfaceVersion });
    const { asked, partials } = requestOfAction(principal, { request, action, orgId, workspaceId }, setup);
    known.alias = asked.alias ?? action.integrationName;
    known.partials = partials.map((partial) => applied(partial, partials, action.input.keys, request.input));
    return { ...known, ...(await explainPrepared(gateway, await prepareCall(gateway, asked))) };
  } catch (error) {
    if (!(error instanceof GatewayError) || error.status >= 500) throw error;
    return { ...known, outcome: { kind: 'refused', error }, policies: [], shadows: [] };
  }
}

/** Explains a prepared call. Keep in step with `judgeCall` (admit-call.ts). */
async function explainPrepared(gateway: Gateway, { call, connection }: PreparedCall): Promise<Omit<CallExplanation, 'alias' | 'partials'>> {
  const inputHash = await hashCallInTurns(call);
  await breathe();
  const policies = await gateway.policies.of(call);
  const seen = new Map<Policy, PolicyJudgement>();
  const judge: typeof judgePolicy = (policy, subject, assessment) => {
    const judged = judgePolicy(policy, subject, assessment);
    seen.set(policy, judged);
    return judged;
  };
  const { match, cleared = [], unassessed, assessments } = await matchWithoutAsking(gateway, policies, call, inputHash, judge);
  const gated = match && { call, inputHash, match, cleared };
  const names = new Map((policies.shadows?.all ?? []).map((policy) => [policy.id, policy]));
  return {
    ...{ connection, input: previewInput(call.input, call.hiddenPaths) },
    outcome: unassessed ? { kind: 'depends_on_model', policy: unassessed } : await outcomeOf(gateway, gated),
    policies: [...seen].map(([policy, judged]) => lookedAt(call, policy, judged, gated)),
    shadows: judgeShadows(policies, call, assessments).flatMap(({ policyId, would }) => {
      const policy = names.get(policyId);
      return policy ? { policy, would } : [];
    }),
  };
}

async function outcomeOf(gateway: Gateway, gated: GatedCall | undefined): Promise<ForeseenOutcome> {
  if (!gated) return { kind: 'runs', policy: undefined };
  const { policy } = gated.match;
  switch (policy.decision) {
    case 'block':
      return { kind: 'blocked', policy };
    case 'auto_approve':
    case 'notify_only':
      return { kind: 'runs', policy };
    case 'require_approval':
      return { ...(await predictApproval(gateway, gated)), policy };
  }
}

function lookedAt(call: Call, policy: Policy, judged: PolicyJudgement, gated: GatedCall | undefined): LookedAtPolicy {
  const decides = gated?.match.policy === policy;
  return { policy, verdict: judged.verdict, decides, reasons: decides ? shownReasons(gated.match, call) : whyNot(call, policy, judged) };
}

function whyNot(call: Call, policy: Policy, { verdict, passesFilters, assessment }: PolicyJudgement): string[] {
  if (verdict === 'unassessed') return ['The risk model judges the call when it is made.'];
  if (verdict === 'matched')
    return ['The policy applies, but something about the call could not be determined, so another policy decides.'];
  if (!passesFilters) return explainFilters(policy, call).filter((sentence) => sentence.includes(': did not match'));
  return [assessment ? 'No rule applies, and the risk model found no risk.' : 'No rule applies.'];
}

function applied(
  partial: InputPartial,
  all: readonly InputPartial[],
  inputs: readonly string[],
  sent: Readonly<Record<string, unknown>>,
): AppliedPartial {
  const sets = ({ values, enforcedKeys }: InputPartial, key: string, enforced: boolean) =>
    Object.hasOwn(values, key) && enforcedKeys.includes(key) === enforced;
  const effectOn = (key: string) => {
    const isEnforced = sets(partial, key, true);
    const isReplaced =
      all.findLast((one) => sets(one, key, isEnforced)) !== partial ||
      (!isEnforced && (Object.hasOwn(sent, key) || all.some((one) => sets(one, key, true))));
    if (isReplaced) return 'overridden';
    return isEnforced ? 'enforced' : 'default';
  };
  const keys = Object.keys(partial.values).filter((key) => inputs.includes(key));
  return { name: partial.name, inputs: keys.map((key) => ({ key, effect: effectOn(key) })) };
}
