import type { RuleSubject } from '../domain/evaluate-rules.ts';
import { explainPolicy } from '../domain/explain-policy.ts';
import { type FilterSubject, judgePolicy } from '../domain/match-policies.ts';
import type { Policy, PolicyDecision, PolicyFields } from '../domain/policy.ts';
import type { KeyPrincipal } from '../domain/principal.ts';
import type { CatalogAction } from '../integrations/catalog.ts';
import { judgeLeniently } from '../integrations/judge-leniently.ts';
import { parseInput } from '../integrations/parse-input.ts';
import { assessRisk } from './assess-risk.ts';
import { checkReferences } from './check-policy.ts';
import { findTestedPlace } from './find-tested-place.ts';
import type { Gateway } from './gateway.ts';
import { getWorkspace } from './get-workspace.ts';
import { ASSESSMENT_SECONDS } from './match-call.ts';

/** A call that nobody makes. Where its alias or strategy is null, it has the one that the gate would find. */
export interface TestedCall extends FilterSubject {
  input: Record<string, unknown>;
}

export interface PolicyTest {
  /** `allow` where the policy does not match. */
  decision: PolicyDecision | 'allow';
  matched: boolean;
  reasons: string[];
}

/**
 * What a policy would decide of a call, without making either (specification 4.4): the gate's own judgement, with what each filter and rule
 * says of the call. The action may be one that nobody knows yet, and an input may be unfinished: what can be told of it is looked at, and the
 * reasons say that no call is possible with it. The risk model is asked where the gate would ask it; nothing is kept. Throws what is wrong with
 * the policy itself, and NOT_FOUND, SCOPE_DENIED or VALIDATION_ERROR for what the call names.
 */
export async function testPolicy(gateway: Gateway, principal: KeyPrincipal, fields: PolicyFields, call: TestedCall): Promise<PolicyTest> {
  const { orgId } = await getWorkspace(gateway, principal, call.workspaceId);
  await checkReferences(gateway, principal, fields);
  const place = await findTestedPlace(gateway, orgId, call);
  const now = new Date();
  const policy: Policy = { ...fields, id: '', orgId, version: 0, createdAt: now, updatedAt: now };
  const { judged: judgedInput, problems } = judgeInput(gateway, call);
  const subject = { ...call, ...place, ...judgedInput, hiddenPaths: [] };

  const first = judgePolicy(policy, subject);
  const judged =
    first.verdict === 'unassessed'
      ? judgePolicy(policy, subject, await assessRisk(gateway, policy, subject, ASSESSMENT_SECONDS * 1000))
      : first;
  const matched = judged.verdict === 'matched';
  return {
    decision: matched ? policy.decision : 'allow',
    matched,
    reasons: [...explainPolicy(policy, subject, judged), ...problems],
  };
}

type JudgedInput = RuleSubject & { input: Record<string, unknown> };

/** What rules look at, and why the action would refuse the input. */
function judgeInput(gateway: Gateway, { integrationName, actionName, input }: TestedCall): { judged: JudgedInput; problems: string[] } {
  const action = gateway.catalog.find(integrationName)?.actions.get(actionName);
  if (!action) return { judged: { category: null, input }, problems: [] };
  const parsed = parseInput(action, input);
  if (parsed.ok) return { judged: judge(action, parsed.input), problems: [] };
  const issues = parsed.issues.map(({ path, message }) => (path ? `${path}: ${message}` : message));
  const problem = `the input is not valid for ${integrationName}.${actionName}, so a call with it is refused before any policy: ${issues.join('; ')}`;
  return { judged: judgeLeniently(action, input), problems: [problem] };
}

function judge(action: CatalogAction, input: Record<string, unknown>): JudgedInput {
  return { category: action.categoryOf(input), input, recipients: action.recipients?.(input), paths: action.paths?.(input) };
}
