import { joinWithin } from '../../domain/bound-error.ts';
import type { RuleSubject } from '../../domain/policies/call-facts.ts';
import { explainPolicy } from '../../domain/policies/explain-policy.ts';
import { judgePolicy } from '../../domain/policies/match-policies.ts';
import type { Policy, PolicyDecision, PolicyFields } from '../../domain/policies/policy.ts';
import type { FilterSubject } from '../../domain/policies/policy-filters.ts';
import type { KeyPrincipal } from '../../domain/principal.ts';
import { breathe } from '../../infra/event-loop/breathe.ts';
import type { CatalogAction } from '../../integrations/catalog.ts';
import { judgeLeniently } from '../../integrations/judge-leniently.ts';
import { parseInput } from '../../integrations/parse-input.ts';
import type { Gateway } from '../gateway.ts';
import { getWorkspace } from '../workspaces/get-workspace.ts';
import { assessRisk } from './assess-risk.ts';
import { checkReferences } from './check-policy.ts';
import { findPolicyWarnings } from './find-policy-warnings.ts';
import { findTestedPlace } from './find-tested-place.ts';
import { ASSESSMENT_SECONDS } from './match-call.ts';

/** A hypothetical call. A null alias or strategy is completed (`findTestedPlace`). */
export interface TestedCall extends FilterSubject {
  input: Record<string, unknown>;
}

export interface PolicyTest {
  /** `allow` if the policy does not match. */
  decision: PolicyDecision | 'allow';
  matched: boolean;
  reasons: string[];
  warnings: string[];
}

/**
 * Tests what this policy alone would decide for a call (specification 4.4). The action can be
 * unknown and the input invalid. Asks the risk model if the gate would ask it. Stores nothing.
 */
export async function testPolicy(gateway: Gateway, principal: KeyPrincipal, fields: PolicyFields, call: TestedCall): Promise<PolicyTest> {
  const { orgId } = await getWorkspace(gateway, principal, call.workspaceId);
  await checkReferences(gateway, principal, fields);
  const place = await findTestedPlace(gateway, orgId, call);
  const now = new Date();
  const policy: Policy = { ...fields, id: '', orgId, version: 0, createdAt: now, updatedAt: now };
  const { judged: judgedInput, problems } = await judgeInput(gateway, orgId, call);
  const subject = { ...call, ...place, ...judgedInput, hiddenPaths: [] };
  await breathe();

  const first = judgePolicy(policy, subject);
  await breathe();
  const judged =
    first.verdict === 'unassessed'
      ? judgePolicy(policy, subject, await assessRisk(gateway, policy, subject, ASSESSMENT_SECONDS * 1000))
      : first;
  const matched = judged.verdict === 'matched';
  return {
    decision: matched ? policy.decision : 'allow',
    matched,
    reasons: [...explainPolicy(policy, subject, judged), ...problems],
    warnings: await findPolicyWarnings(gateway, policy),
  };
}

type JudgedInput = RuleSubject & { input: Record<string, unknown> };

async function judgeInput(
  gateway: Gateway,
  orgId: string,
  { integrationName, actionName, input }: TestedCall,
): Promise<{ judged: JudgedInput; problems: string[] }> {
  const action = (await gateway.catalog.find(orgId, integrationName))?.actions.get(actionName);
  if (!action) return { judged: { category: null, input }, problems: [] };
  await breathe();
  const parsed = parseInput(action, input);
  await breathe();
  if (parsed.ok) return { judged: judge(action, parsed.input), problems: [] };
  const issues = parsed.issues.map(({ path, message }) => (path ? `${path}: ${message}` : message));
  const problem = `the input is not valid for ${integrationName}.${actionName}, so a call with it is refused before any policy: ${joinWithin(issues)}`;
  return { judged: judgeLeniently(action, input), problems: [problem] };
}

function judge(action: CatalogAction, input: Record<string, unknown>): JudgedInput {
  return {
    category: action.categoryOf(input),
    otherCategories: action.otherCategoriesOf?.(input),
    input,
    recipients: action.recipients?.(input),
    paths: action.paths?.(input),
  };
}
