import type { MarkedWorld } from './a-marked-world.ts';

/** The answers to a key of another organization (`stranger`) or workspace (`neighbour`). */
type Outcome = { stranger: string; neighbour: string };

/** The expected answer to a request that is valid except for a foreign id in one field. */
export interface ForeignField {
  says: Outcome;
  /** True if the foreign id has no effect. */
  isHarmless?: true;
  /** Path parameters that replace those of MATRIX. */
  ids?: (own: MarkedWorld) => Record<string, string>;
  /** Fields that override those of MATRIX. */
  with?: (own: MarkedWorld) => object;
  /** The foreign ids to try, instead of those of IDS_BY_NAME. */
  values?: (world: MarkedWorld) => string[];
  /** The answer to the caller's own id, if it differs from MATRIX. */
  own?: string;
}

const both = (stranger: string, neighbour = stranger): Outcome => ({ stranger, neighbour });
/** The answers for a field that is resolved within the caller's workspace. */
const missing = (code = 'NOT_FOUND') => ({ says: both(`404 ${code}`) });
/** The answers for a field that is resolved within the organization. */
const outOfReach = (code = 'NOT_FOUND') => ({ says: both(`404 ${code}`, '403 SCOPE_DENIED') });
const harmless = (stranger: string, neighbour?: string) => ({ says: both(stranger, neighbour), isHarmless: true }) as const;

let count = 0;
const fresh = (): string => {
  count += 1;
  return `fresh-${count}`;
};

const openai = () => ({ name: 'openai' });
/** Names the instance in a request that several instances would otherwise match. */
const account = { integrationAlias: 'openai' };
const store = { integrationAlias: 'kv-store' };
const model = { ...account, actionName: 'ask_chatgpt', propertyName: 'model' };
const external = { scope: 'external' };
const mount = { storageMountScope: 'external' };
const storeInstance = (w: MarkedWorld) => [w.integrationId];
const accountInstance = (w: MarkedWorld) => ({ workspaceId: w.workspaceId, id: w.accountInstanceId });
const codeInstance = (w: MarkedWorld) => ({ workspaceId: w.workspaceId, id: w.codeInstanceId });
const accountTool = (w: MarkedWorld) => ({ id: w.serverId, toolId: w.accountToolId });
const storeTool = (w: MarkedWorld) => ({ id: w.serverId, toolId: w.storeToolId });
const endUsers = (w: MarkedWorld) => [w.only, w.endUserId];
const serverEndUser = { ...missing('END_USER_NOT_FOUND'), values: endUsers };
/** Lets a backtest evaluate an additional policy instead of a change. */
const draft = () => ({ policyId: undefined, changes: undefined });
const instances = () => ({ integrationName: 'openai', alias: fresh() });

/** Every id field in a query or body. A text says why the field is not tested. */
export const FOREIGN_FIELDS: Record<string, ForeignField | string> = {
  'post /api/v1/integrations/import body.fetchAuth.token': 'a token of a third party',
  'post /api/v1/integrations/{name}/refresh body.fetchAuth.token': 'a token of a third party',
  'post /api/v1/api-keys body.permissions.workspaceIds[]': outOfReach(),

  'post /api/v1/workspaces/{workspaceId}/integrations body.connectionId': { ...missing('CONNECTION_NOT_FOUND'), with: instances },
  'post /api/v1/workspaces/{workspaceId}/integrations body.settings.persistence.externalId': {
    ...harmless('201'),
    with: () => ({ integrationName: 'kv-store', alias: fresh(), settings: { persistence: external } }),
  },
  'post /api/v1/workspaces/{workspaceId}/integrations body.settings.advancedCode.storageExternalId': {
    ...harmless('201'),
    with: () => ({ integrationName: 'advanced-code', alias: fresh(), settings: { advancedCode: mount } }),
  },
  'patch /api/v1/workspaces/{workspaceId}/integrations/{id} body.connectionId': {
    ...missing('CONNECTION_NOT_FOUND'),
    ids: accountInstance,
  },
  'patch /api/v1/workspaces/{workspaceId}/integrations/{id} body.settings.persistence.externalId': {
    ...harmless('200'),
    with: () => ({ settings: { persistence: external } }),
  },
  'patch /api/v1/workspaces/{workspaceId}/integrations/{id} body.settings.advancedCode.storageExternalId': {
    ...harmless('200'),
    ids: codeInstance,
    with: () => ({ settings: { advancedCode: mount } }),
  },

  'get /api/v1/end-users query.workspaceId': outOfReach(),
  'post /api/v1/end-users body.workspaceId': { ...outOfReach(), with: () => ({ externalId: fresh() }) },
  'post /api/v1/end-users body.externalId': harmless('201'),
  'post /api/v1/end-users/{id}/connect-token body.workspaceIntegrationId': missing(),
  'post /api/v1/end-users/{id}/invite body.workspaceIntegrationId': { ...missing(), own: '200' },

  'get /api/v1/connections query.id': outOfReach('CONNECTION_NOT_FOUND'),
  'get /api/v1/connections query.workspaceId': outOfReach(),
  'get /api/v1/connections query.endUserId': harmless('200'),
  'post /api/v1/connections body.externalId': harmless('201'),
  'post /api/v1/connections body.workspaceId': { ...outOfReach(), with: () => ({ externalId: fresh() }) },
  'post /api/v1/connections body.endUserId': { ...harmless('201'), with: () => ({ externalId: fresh(), scope: 'USER' }) },
  'post /api/v1/connections body.workspaceIntegrationId': { ...missing(), with: () => ({ externalId: fresh() }) },
  'post /api/v1/connections/resolve body.externalId': { ...missing('CONNECTION_NOT_FOUND'), with: () => account },
  'post /api/v1/connections/resolve body.workspaceId': { ...outOfReach(), with: ({ only }) => ({ externalId: only, ...account }) },
  'post /api/v1/connections/resolve body.endUserId': { ...harmless('200'), with: ({ only }) => ({ externalId: only, ...account }) },
  'post /api/v1/connections/resolve body.workspaceIntegrationId': { ...missing(), with: ({ only }) => ({ externalId: only, ...account }) },

  'post /api/v1/connect/token body.externalId': harmless('201'),
  'post /api/v1/connect/token body.workspaceId': outOfReach(),
  'post /api/v1/connect/token body.workspaceIntegrationId': missing(),
  'post /api/v1/connect/token body.endUserId': { ...harmless('201'), with: () => ({ scope: 'USER' }) },
  'post /api/v1/connect/session/poll body.token': outOfReach(),
  'post /api/v1/oauth-apps body.clientId': 'an id at the third party',

  'get /api/v1/mcp/servers query.workspaceId': outOfReach(),
  'post /api/v1/mcp/servers body.workspaceId': outOfReach(),
  'post /api/v1/mcp/servers body.endUserId': serverEndUser,
  'patch /api/v1/mcp/servers/{id} body.endUserId': serverEndUser,
  'post /api/v1/mcp/servers/{id}/access-tokens body.endUserId': serverEndUser,
  'post /api/v1/mcp/servers/{id}/oauth-tokens body.endUserId': serverEndUser,
  'post /api/v1/mcp/servers/{id}/tools body.connectionId': {
    ...missing('CONNECTION_NOT_FOUND'),
    with: () => ({ integrationName: 'openai', actionName: 'list_models', integrationAlias: fresh() }),
  },
  'post /api/v1/mcp/servers/{id}/tools body.partialIds[]': {
    ...missing('PARTIAL_NOT_FOUND'),
    with: () => ({ integrationName: 'kv-store', actionName: 'get', integrationAlias: fresh() }),
  },
  'patch /api/v1/mcp/servers/{id}/tools/{toolId} body.connectionId': { ...missing('CONNECTION_NOT_FOUND'), ids: accountTool },
  'patch /api/v1/mcp/servers/{id}/tools/{toolId} body.partialIds[]': { ...missing('PARTIAL_NOT_FOUND'), ids: storeTool },
  'post /api/v1/mcp/servers/{id}/execute-code body.approvalId': {
    ...missing('APPROVAL_NOT_FOUND'),
    with: () => ({ code: undefined }),
  },

  'get /api/v1/partials query.workspaceId': outOfReach(),
  'get /api/v1/partials query.workspaceIntegrationId': harmless('200'),
  'post /api/v1/partials body.workspaceId': { ...outOfReach(), with: () => ({ name: fresh() }) },
  'post /api/v1/partials body.workspaceIntegrationId': { ...missing(), values: storeInstance, with: () => ({ name: fresh() }) },

  'post /api/v1/approval-policies body.workspaceId': outOfReach(),
  'post /api/v1/approval-policies body.mcpServerIds[]': outOfReach(),
  'post /api/v1/approval-policies body.workspaceIntegrationIds[]': outOfReach(),
  'post /api/v1/approval-policies body.approvers[].userIds[]': 'user ids are compared, not looked up',
  'get /api/v1/approval-policies query.workspaceId': outOfReach(),
  'post /api/v1/approval-policies/backtest body.policyId': {
    ...outOfReach('APPROVAL_POLICY_NOT_FOUND'),
    values: ({ policyId }) => [policyId],
  },
  'post /api/v1/approval-policies/backtest body.workspaceId': outOfReach(),
  'post /api/v1/approval-policies/backtest body.policy.id': 'read-only fields of a stored policy are ignored',
  'post /api/v1/approval-policies/backtest body.policy.orgId': 'read-only fields of a stored policy are ignored',
  'post /api/v1/approval-policies/backtest body.policy.workspaceId': { ...outOfReach(), with: draft },
  'post /api/v1/approval-policies/backtest body.policy.mcpServerIds[]': { ...outOfReach(), with: draft },
  'post /api/v1/approval-policies/backtest body.policy.workspaceIntegrationIds[]': { ...outOfReach(), with: draft },
  'post /api/v1/approval-policies/backtest body.policy.approvers[].userIds[]': 'user ids are compared, not looked up',
  'post /api/v1/approval-policies/backtest body.changes.workspaceId': outOfReach(),
  'post /api/v1/approval-policies/backtest body.changes.mcpServerIds[]': outOfReach(),
  'post /api/v1/approval-policies/backtest body.changes.workspaceIntegrationIds[]': outOfReach(),
  'post /api/v1/approval-policies/backtest body.changes.approvers[].userIds[]': 'user ids are compared, not looked up',
  'post /api/v1/approval-policies/test body.policy.id': 'read-only fields of a stored policy are ignored',
  'post /api/v1/approval-policies/test body.policy.orgId': 'read-only fields of a stored policy are ignored',
  'post /api/v1/approval-policies/test body.policy.workspaceId': outOfReach(),
  'post /api/v1/approval-policies/test body.policy.mcpServerIds[]': outOfReach(),
  'post /api/v1/approval-policies/test body.policy.workspaceIntegrationIds[]': outOfReach(),
  'post /api/v1/approval-policies/test body.policy.approvers[].userIds[]': 'user ids are compared, not looked up',
  'post /api/v1/approval-policies/test body.context.workspaceId': outOfReach(),
  'post /api/v1/approval-policies/test body.context.endUserId': harmless('200'),
  'post /api/v1/approval-policies/test body.context.mcpServerId': missing(),
  'post /api/v1/approval-policies/test body.context.workspaceIntegrationId': {
    ...{ ...missing(), values: storeInstance },
    with: ({ workspaceId }) => ({ context: { workspaceId, source: 'rest', integrationName: 'kv-store', actionName: 'get' } }),
  },
  'patch /api/v1/approval-policies/{id} body.workspaceId': outOfReach(),
  'patch /api/v1/approval-policies/{id} body.mcpServerIds[]': outOfReach(),
  'patch /api/v1/approval-policies/{id} body.workspaceIntegrationIds[]': outOfReach(),
  'patch /api/v1/approval-policies/{id} body.approvers[].userIds[]': 'user ids are compared, not looked up',
  'get /api/v1/approvals query.workspaceId': harmless('200', '403 SCOPE_DENIED'),
  'get /api/v1/code-runs query.workspaceId': harmless('200', '403 SCOPE_DENIED'),
  'get /api/v1/code-runs query.mcpServerId': harmless('200'),
  'get /api/v1/code-runs query.endUserId': harmless('200'),
  'get /api/v1/activity query.workspaceId': harmless('200', '403 SCOPE_DENIED'),
  'get /api/v1/activity query.approvalId': harmless('200'),
  'get /api/v1/activity query.policyId': harmless('200'),
  'get /api/v1/activity query.codeRunId': harmless('200'),

  ...Object.fromEntries(
    ['options', 'resolve'].flatMap((kind): [string, ForeignField][] => {
      const field = (name: string) => `post /api/v1/integrations/{name}/properties/${kind} body.${name}`;
      const asked = { ids: openai, with: () => model };
      return [
        [field('workspaceId'), { ...outOfReach(), ...asked }],
        [field('connectionExternalId'), { ...missing('CONNECTION_NOT_FOUND'), ...asked }],
        [field('workspaceIntegrationId'), { ...missing(), ...asked }],
        [field('endUserId'), { ...harmless('200'), ...asked }],
      ];
    }),
  ),
  'post /api/v1/actions/execute body.workspaceId': { ...outOfReach(), with: () => store },
  'post /api/v1/actions/execute body.workspaceIntegrationId': { ...missing(), values: storeInstance, with: () => store },
  'post /api/v1/actions/execute body.connectionExternalId': {
    ...missing('CONNECTION_NOT_FOUND'),
    with: () => ({ ...account, integrationName: 'openai', actionName: 'list_models', input: {} }),
  },
  'post /api/v1/actions/execute body.endUserId': { ...harmless('200'), with: () => store },
  'post /api/v1/actions/execute body.partialIds[]': { ...missing('PARTIAL_NOT_FOUND'), with: () => store },
};

/** The ids of a world, by the name of the field that they fit. */
export const IDS_BY_NAME: Record<string, (world: MarkedWorld) => string[]> = {
  id: (w) => [w.connectionId],
  workspaceId: (w) => [w.workspaceId],
  workspaceIds: (w) => [w.workspaceId],
  connectionId: (w) => [w.accountId],
  workspaceIntegrationId: (w) => [w.accountInstanceId],
  workspaceIntegrationIds: (w) => [w.integrationId],
  mcpServerId: (w) => [w.serverId],
  mcpServerIds: (w) => [w.serverId],
  partialIds: (w) => [w.partialId, w.only],
  approvalId: (w) => [w.runApprovalId],
  policyId: (w) => [w.policyId],
  codeRunId: (w) => [`crun_${w.only}`],
  endUserId: (w) => [w.only],
  externalId: (w) => [w.only],
  storageExternalId: (w) => [w.only],
  connectionExternalId: (w) => [w.only],
  token: (w) => [w.tokens['connect session (cst_)']!],
};
