import { diffPolicies } from '../../../domain/policies/diff-policies.ts';
import type { Approver, Policy, PolicyFields } from '../../../domain/policies/policy.ts';
import type { PolicyVersion } from '../../../store/policy-versions.ts';

/** Presents a policy. `secrets` holds the webhook secrets that this request created, by URL. */
export function presentPolicy(policy: Policy, warnings: readonly string[], secrets: ReadonlyMap<string, string> = new Map()) {
  return {
    id: policy.id,
    orgId: policy.orgId,
    version: policy.version,
    ...presentFields(policy, secrets),
    warnings,
    createdAt: policy.createdAt.toISOString(),
    updatedAt: policy.updatedAt.toISOString(),
  };
}

/** Presents a version of a policy and its differences from the previous version. */
export function presentVersion(version: PolicyVersion, before: PolicyVersion | undefined) {
  return {
    version: version.version,
    changedBy: { type: version.changedByType, id: version.changedById },
    changedAt: version.createdAt.toISOString(),
    restoredVersion: version.restoredVersion,
    changes: before ? presentChanges(before, version) : [],
    ...presentFields(version.fields),
  };
}

/** The differences between two versions of a policy. */
export function presentChanges(before: PolicyVersion, after: PolicyVersion) {
  return diffPolicies(presentFields(before.fields), presentFields(after.fields)).map(({ field, before, after }) => ({
    field,
    before,
    after,
  }));
}

function presentFields(policy: PolicyFields, secrets: ReadonlyMap<string, string> = new Map()) {
  return {
    workspaceId: policy.workspaceId,
    name: policy.name,
    description: policy.description,
    enabled: policy.enabled,
    mode: policy.mode,
    priority: policy.priority,
    sources: policy.sources,
    mcpServerIds: policy.mcpServerIds,
    workspaceIntegrationIds: policy.workspaceIntegrationIds,
    integrationNames: policy.integrationNames,
    integrationAliases: policy.integrationAliases,
    actionNames: policy.actionNames,
    connectionStrategies: policy.connectionStrategies,
    endUserMode: policy.endUserMode,
    decision: policy.decision,
    riskMode: policy.riskMode,
    rules: policy.rules,
    approvers: policy.approvers.map((approver) => presentApprover(approver, secrets)),
    timeoutSeconds: policy.timeoutSeconds,
    defaultOnTimeout: policy.defaultOnTimeout,
    reuseWindowSeconds: policy.reuseWindowSeconds,
    approvalAccessMode: policy.approvalAccessMode,
    metadata: policy.metadata,
  };
}

function presentApprover(approver: Approver, secrets: ReadonlyMap<string, string>) {
  switch (approver.type) {
    case 'org_role':
      return { type: approver.type, roles: approver.roles };
    case 'dashboard_user':
      return { type: approver.type, userIds: approver.userIds };
    case 'end_user':
      return { type: approver.type };
    case 'webhook': {
      const secret = secrets.get(approver.webhookUrl);
      return { type: approver.type, webhookUrl: approver.webhookUrl, ...(secret && { secret }) };
    }
  }
}
