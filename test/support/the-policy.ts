import type { Policy } from '../../domain/policy.ts';

/** A policy that matches every call over REST, but for the fields given. */
export function thePolicy(fields: Partial<Policy> = {}): Policy {
  return {
    id: 'policy',
    orgId: 'org',
    workspaceId: null,
    version: 1,
    name: 'A policy',
    description: null,
    enabled: true,
    priority: 100,
    sources: ['rest'],
    mcpServerIds: [],
    workspaceIntegrationIds: [],
    integrationNames: [],
    integrationAliases: [],
    actionNames: [],
    connectionStrategies: [],
    endUserMode: 'any',
    decision: 'require_approval',
    riskMode: 'always',
    rules: {},
    approvers: [],
    timeoutSeconds: 3600,
    defaultOnTimeout: 'reject',
    reuseWindowSeconds: null,
    approvalAccessMode: 'dashboard_only',
    metadata: null,
    createdAt: new Date(0),
    updatedAt: new Date(0),
    ...fields,
  };
}
