import type { Approver, Policy } from '../../../domain/policies/policy.ts';
import { warnAboutPolicy } from '../../../domain/policies/policy-warnings.ts';

/** A policy, with the webhook secrets that this request created, by URL. */
export function presentPolicy(policy: Policy, secrets: ReadonlyMap<string, string> = new Map()) {
  return {
    id: policy.id,
    orgId: policy.orgId,
    workspaceId: policy.workspaceId,
    version: policy.version,
    name: policy.name,
    description: policy.description,
    enabled: policy.enabled,
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
    warnings: warnAboutPolicy(policy),
    createdAt: policy.createdAt.toISOString(),
    updatedAt: policy.updatedAt.toISOString(),
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
