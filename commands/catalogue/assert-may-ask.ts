import { GatewayError } from '../../domain/errors.ts';
import { matchPolicies, type PolicyMatch, type PolicySubject } from '../../domain/policies/match-policies.ts';
import { DEFAULT_STRATEGY, type Source } from '../../domain/policies/policy.ts';
import type { PolicySet } from '../../domain/policies/policy-set.ts';
import type { Assessment } from '../../domain/policies/risk.ts';
import type { WorkspaceIntegration } from '../../domain/workspace-integration.ts';
import type { CatalogAction } from '../../integrations/catalog.ts';
import { judgeLeniently } from '../../integrations/judge-leniently.ts';
import { assertCallable } from '../calls/assert-callable.ts';
import type { Gateway } from '../gateway.ts';
import { choicesName } from '../surfaces/helper-tools.ts';

/** A question to a third party: which choices or fields does an input of an action have? */
export interface AskedInput {
  orgId: string;
  workspaceId: string;
  policiesVersion: number;
  source: Source;
  mcpServerId: string | null;
  /** External id. */
  endUserId: string | null;
  /** Null if the workspace has not configured the integration. */
  instance: WorkspaceIntegration | null;
  alias: string;
  action: CatalogAction;
  propertyName: string;
  input: Record<string, unknown>;
}

/**
 * Checks that a third party may be asked about an input. A policy that blocks the action also
 * blocks the question. Otherwise policies judge the question as a call of the category `read` with
 * the name `list_{plural of the input}`. Throws APPROVAL_POLICY_BLOCKED, and the errors of
 * `assertCallable`.
 */
export async function assertMayAsk(gateway: Gateway, asked: AskedInput): Promise<void> {
  const { action, instance, input, propertyName } = asked;
  assertCallable(action, instance);
  const policies = await gateway.policies.of(asked);
  const place = {
    ...{ workspaceId: asked.workspaceId, source: asked.source, mcpServerId: asked.mcpServerId, endUserId: asked.endUserId },
    ...{ workspaceIntegrationId: instance?.id ?? null, integrationAlias: asked.alias },
    ...{ integrationName: action.integrationName, connectionStrategy: instance?.connectionStrategy ?? DEFAULT_STRATEGY },
  };
  const ofAction = matchOf(policies, { ...place, actionName: action.name, ...judgeLeniently(action, input) });
  if (ofAction?.policy.decision === 'block') throw refused(ofAction, 'blocks this action');
  const ofRead = matchOf(policies, { ...place, actionName: choicesName(propertyName), category: 'read', input });
  if (ofRead?.policy.decision === 'block') throw refused(ofRead, 'blocks reading the choices');
  if (ofRead?.policy.decision === 'require_approval')
    throw refused(ofRead, 'requires approval for this read, but a list of choices cannot wait for an approval. Send the value itself');
}

/** Stands in for the risk model, so that model-assisted policies match by their rules only. */
const HARMLESS: Assessment = { score: 0, words: '' };

function matchOf(policies: PolicySet, subject: PolicySubject): PolicyMatch | undefined {
  const assessments = new Map<string, Assessment>();
  for (;;) {
    const { match, unassessed } = matchPolicies(policies, subject, assessments);
    if (!unassessed) return match;
    assessments.set(unassessed.id, HARMLESS);
  }
}

function refused({ policy: { id: policyId, name } }: PolicyMatch, why: string): GatewayError {
  return new GatewayError('APPROVAL_POLICY_BLOCKED', `The policy "${name}" ${why}.`, { policyId });
}
