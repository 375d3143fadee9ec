import type { Policy } from '../../domain/policies/policy.ts';

/** Returns a policy that matches every REST call. `fields` overrides single fields. */
export function thePolicy(fields: Partial<Policy> = {}): Policy {
  return {
    id: 'policy',
    orgId: 'org',
    workspaceId: null,
    version: 1,
    name: 'A policy',
    description: null,
    enabled: true,
    mode: 'enforce',
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
