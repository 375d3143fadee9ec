import { randomUUID } from 'node:crypto';
import { END_USER, type World } from './a-world.ts';

/**
 * The expected answer of a route to each principal: the status, followed by the code of an error.
 *
 * - stranger: a key of another organization
 * - neighbour: a key of another workspace in the organization; it may decide
 * - locked: a workspace key without workspaces
 * - here: a key of the workspace; it may decide
 * - org: an org-wide key that may decide
 * - plain: an org-wide key that may not decide
 */
export interface Expectations {
  stranger: string;
  neighbour: string;
  locked: string;
  here: string;
  org: string;
  plain: string;
}

export interface Row {
  ids?: (world: World) => Record<string, string>;
  query?: (world: World) => Record<string, string>;
  body?: (world: World) => object;
  expect: Expectations;
}

const DENIED = '403 SCOPE_DENIED';

const inWorkspace = (ok = '200', missing = 'NOT_FOUND'): Expectations => ({
  ...{ stranger: `404 ${missing}`, neighbour: DENIED, locked: DENIED, here: ok, org: ok, plain: ok },
});
/** Every caller gets the entries that the caller may see. */
const list = (): Expectations => ({ stranger: '200', neighbour: '200', locked: '200', here: '200', org: '200', plain: '200' });
const orgWide = (ok = '200'): Expectations => ({ stranger: ok, neighbour: DENIED, locked: DENIED, here: DENIED, org: ok, plain: ok });
const orgWideRecord = (): Expectations => ({ ...orgWide(), stranger: '404 NOT_FOUND' });
const decision = (): Expectations => ({ ...inWorkspace('200', 'APPROVAL_NOT_FOUND'), plain: '403 APPROVAL_DECISION_SCOPE_REQUIRED' });

/** Members can decide approvals, so a key that may not decide cannot manage members. */
const ofMembers = (ok = '200'): Expectations => ({ ...orgWide(ok), plain: '403 APPROVAL_DECISION_SCOPE_REQUIRED' });
const memberRecord = (): Expectations => ({ ...ofMembers(), stranger: '404 NOT_FOUND' });

const workspace = (w: World) => ({ id: w.workspaceId, workspaceId: w.workspaceId });
const instance = (w: World) => ({ workspaceId: w.workspaceId, id: w.integrationId });
const server = (w: World) => ({ id: w.serverId, toolId: w.toolId, tokenId: w.bearerTokenId, alias: 'kv-store' });
const oauthServer = (w: World) => ({ id: w.oauthServerId, tokenId: w.oauthTokenId });
const endUser = (w: World) => ({ id: w.endUserId });
const member = (w: World) => ({ id: w.memberId });
const partial = (w: World) => ({ id: w.partialId });
const ofPolicy = { ids: (w: World) => ({ id: w.policyId, version: '1' }), expect: inWorkspace('200', 'APPROVAL_POLICY_NOT_FOUND') };
const hash = () => ({ name: 'hash-encode' });

const NO_INTEGRATION = '404 INTEGRATION_NOT_FOUND';
const own = (w: World) => ({ name: w.own.name });
const firstChange = (w: World) => ({ ...own(w), id: w.own.changeIds[0] });
const secondChange = (w: World) => ({ ...own(w), id: w.own.changeIds[1] });
const ownRecord = (): Expectations => ({ ...orgWide(), stranger: NO_INTEGRATION });
const ownDecision = (): Expectations => ({ ...ownRecord(), plain: '403 APPROVAL_DECISION_SCOPE_REQUIRED' });

/** The rows of all routes, in the order in which `here`, `org` and `plain` send the requests. */
export const MATRIX: Record<string, Row> = {
  'get /api/v1/api-keys': { expect: orgWide() },
  'post /api/v1/api-keys': {
    body: (w) => ({ name: 'x', permissions: { scope: 'workspace', workspaceIds: [w.workspaceId] } }),
    expect: { ...orgWide(), stranger: '404 NOT_FOUND' },
  },
  'get /api/v1/members': { expect: ofMembers() },
  'post /api/v1/members': {
    body: () => ({ name: 'x', email: `${randomUUID()}@example.com`, role: 'member' }),
    expect: ofMembers('201'),
  },
  'patch /api/v1/members/{id}': { ids: member, body: () => ({ name: 'x' }), expect: memberRecord() },
  'post /api/v1/members/{id}/invite': { ids: member, expect: memberRecord() },
  'get /api/v1/workspaces': { expect: list() },
  'post /api/v1/workspaces': { body: () => ({ name: 'x', slug: 'x' }), expect: orgWide('201') },
  'get /api/v1/workspaces/{id}': { ids: workspace, expect: inWorkspace() },
  'patch /api/v1/workspaces/{id}': { ids: workspace, body: () => ({ name: 'x' }), expect: inWorkspace() },
  'get /api/v1/workspaces/{workspaceId}/integrations': { ids: workspace, expect: inWorkspace() },
  'post /api/v1/workspaces/{workspaceId}/integrations': {
    ids: workspace,
    body: () => ({ integrationName: 'datetime' }),
    expect: inWorkspace('201'),
  },
  'patch /api/v1/workspaces/{workspaceId}/integrations/{id}': { ids: instance, body: () => ({ sortOrder: 1 }), expect: inWorkspace() },

  'get /api/v1/end-users': { query: (w) => ({ workspaceId: w.workspaceId }), expect: inWorkspace() },
  'post /api/v1/end-users': { body: (w) => ({ workspaceId: w.workspaceId, externalId: 'x' }), expect: inWorkspace('201') },
  'get /api/v1/end-users/{id}': { ids: endUser, expect: inWorkspace() },
  'patch /api/v1/end-users/{id}': { ids: endUser, body: () => ({ displayName: 'x' }), expect: inWorkspace() },
  'post /api/v1/end-users/{id}/connect-token': { ids: endUser, expect: inWorkspace() },
  'post /api/v1/end-users/{id}/invite': {
    ids: endUser,
    body: () => ({ email: 'x@example.com' }),
    expect: inWorkspace('400 EMAIL_NOT_CONFIGURED'),
  },

  'get /api/v1/connections': { expect: list() },
  'post /api/v1/connections': {
    body: (w) => ({
      ...{
        integrationName: 'openai',
        externalId: 'x',
        type: 'SECRET_TEXT',
        secretText: 'x',
        workspaceId: w.workspaceId,
        scope: 'WORKSPACE',
      },
    }),
    expect: inWorkspace('201'),
  },
  'post /api/v1/connections/resolve': {
    body: (w) => ({ integrationName: 'openai', externalId: 'in the world', workspaceId: w.workspaceId }),
    expect: inWorkspace(),
  },
  'post /api/v1/connect/token': {
    body: (w) => ({ integrationName: 'openai', connectionName: 'x', externalId: 'y', workspaceId: w.workspaceId, scope: 'WORKSPACE' }),
    expect: inWorkspace('201'),
  },
  'get /api/v1/connect/session/{id}': { ids: (w) => ({ id: w.sessionId }), expect: inWorkspace() },
  'post /api/v1/connect/session/poll': { body: (w) => ({ token: w.tokens['connect session (cst_)'] }), expect: inWorkspace() },
  'get /api/v1/oauth-apps': { expect: orgWide() },
  'post /api/v1/oauth-apps': { body: () => ({ integrationName: 'github', clientId: 'x', clientSecret: 'x' }), expect: orgWide('201') },

  'get /api/v1/mcp/servers': { expect: list() },
  'post /api/v1/mcp/servers': { body: (w) => ({ name: 'x', workspaceId: w.workspaceId }), expect: inWorkspace('201') },
  'get /api/v1/mcp/servers/{id}': { ids: server, expect: inWorkspace() },
  'patch /api/v1/mcp/servers/{id}': { ids: server, body: () => ({ name: 'x' }), expect: inWorkspace() },
  'post /api/v1/mcp/servers/{id}/regenerate-token': { ids: server, expect: inWorkspace() },
  'post /api/v1/mcp/servers/{id}/access-tokens': { ids: server, body: () => ({ endUserId: END_USER }), expect: inWorkspace('201') },
  'post /api/v1/mcp/servers/{id}/oauth-tokens': { ids: oauthServer, body: () => ({ endUserId: END_USER }), expect: inWorkspace('201') },
  'get /api/v1/mcp/servers/{id}/access-tokens': { ids: server, expect: inWorkspace() },
  'get /api/v1/mcp/servers/{id}/oauth-tokens': { ids: oauthServer, expect: inWorkspace() },
  'post /api/v1/mcp/servers/{id}/tools': {
    ids: server,
    body: () => ({ integrationName: 'datetime', integrationAlias: 'clock', actionName: 'date_math' }),
    expect: inWorkspace('201'),
  },
  'patch /api/v1/mcp/servers/{id}/tools/{toolId}': { ids: server, body: () => ({ sortOrder: 1 }), expect: inWorkspace() },
  'post /api/v1/mcp/servers/{id}/execute-code': { ids: server, body: () => ({ code: 'return 1' }), expect: inWorkspace() },
  'get /api/v1/mcp/servers/{id}/declarations/{alias}': { ids: server, expect: inWorkspace() },

  'get /api/v1/partials': { expect: list() },
  'post /api/v1/partials': {
    body: (w) => ({ workspaceId: w.workspaceId, integrationName: 'kv-store', name: 'x', values: {} }),
    expect: inWorkspace('201'),
  },
  'get /api/v1/partials/{id}': { ids: partial, expect: inWorkspace('200', 'PARTIAL_NOT_FOUND') },
  'patch /api/v1/partials/{id}': { ids: partial, body: () => ({ description: 'x' }), expect: inWorkspace('200', 'PARTIAL_NOT_FOUND') },
  'post /api/v1/partials/{id}/set-default': {
    ids: partial,
    body: () => ({ isDefault: false }),
    expect: inWorkspace('200', 'PARTIAL_NOT_FOUND'),
  },

  'get /api/v1/approval-policies': { expect: list() },
  'post /api/v1/approval-policies': {
    body: (w) => ({
      name: 'x',
      enabled: false,
      workspaceId: w.workspaceId,
      mcpServerIds: [w.serverId],
      workspaceIntegrationIds: [w.integrationId],
    }),
    expect: inWorkspace(),
  },
  'post /api/v1/approval-policies/test': {
    body: (w) => ({ policy: {}, context: { workspaceId: w.workspaceId, source: 'rest', integrationName: 'a', actionName: 'b' } }),
    expect: inWorkspace(),
  },
  'get /api/v1/approval-policies/{id}': ofPolicy,
  'patch /api/v1/approval-policies/{id}': { ...ofPolicy, body: () => ({ name: 'x' }) },
  'post /api/v1/approval-policies/backtest': {
    body: (w) => ({ policyId: w.policyId, changes: { enabled: false } }),
    expect: ofPolicy.expect,
  },
  'get /api/v1/approval-policies/{id}/shadow': ofPolicy,
  'get /api/v1/approval-policies/{id}/versions': ofPolicy,
  'get /api/v1/approval-policies/{id}/versions/{version}/diff': ofPolicy,
  'post /api/v1/approval-policies/{id}/versions/{version}/restore': ofPolicy,
  'post /api/v1/approval-policies/{id}/webhook-secrets/rotate': ofPolicy,
  'get /api/v1/approvals': { expect: list() },
  'get /api/v1/activity': { expect: list() },
  'get /api/v1/code-runs': { expect: list() },
  'get /api/v1/code-runs/{id}': { ids: (w) => ({ id: w.codeRunId }), expect: inWorkspace('200', 'CODE_RUN_NOT_FOUND') },
  'post /api/v1/code-runs/{id}/cancel': { ids: (w) => ({ id: w.codeRunId }), expect: inWorkspace('200', 'CODE_RUN_NOT_FOUND') },
  'get /api/v1/approvals/{id}': { ids: (w) => ({ id: w.approvalIds[0] }), expect: inWorkspace('200', 'APPROVAL_NOT_FOUND') },
  'post /api/v1/approvals/{id}/approve': { ids: (w) => ({ id: w.approvalIds[0] }), expect: decision() },
  // The row above approves this approval, except for `plain`, which may not decide.
  'get /api/v1/approvals/{id}/receipt': {
    ids: (w) => ({ id: w.approvalIds[0] }),
    expect: { ...inWorkspace('200', 'APPROVAL_NOT_FOUND'), plain: '404 NOT_FOUND' },
  },
  'post /api/v1/approvals/{id}/webhook-deliveries/{deliveryId}/redeliver': {
    ids: (w) => ({ id: w.approvalIds[0], deliveryId: w.deliveryId }),
    expect: decision(),
  },
  'post /api/v1/approvals/{id}/reject': { ids: (w) => ({ id: w.approvalIds[1] }), expect: decision() },
  'post /api/v1/approvals/{id}/cancel': { ids: (w) => ({ id: w.approvalIds[2] }), expect: decision() },

  'get /api/v1/integrations': { expect: list() },
  'get /api/v1/integrations/oauth-status': { expect: list() },
  'get /api/v1/integrations/{name}': { ids: own, expect: { ...list(), stranger: NO_INTEGRATION } },
  'get /api/v1/integrations/{name}/changes': { ids: own, expect: { ...list(), stranger: NO_INTEGRATION } },
  'get /api/v1/integrations/{name}/changes/{id}': { ids: firstChange, expect: { ...list(), stranger: NO_INTEGRATION } },
  'post /api/v1/integrations/import': {
    body: (w) => ({ kind: 'declarative', name: `own-${randomUUID()}`, document: w.own.document }),
    expect: orgWide('201'),
  },
  'patch /api/v1/integrations/{name}': { ids: own, body: () => ({ displayName: 'x' }), expect: ownRecord() },
  'post /api/v1/integrations/{name}/changes/{id}/accept': { ids: firstChange, expect: ownDecision() },
  'post /api/v1/integrations/{name}/changes/{id}/reject': { ids: secondChange, expect: ownDecision() },
  'post /api/v1/integrations/{name}/refresh': { ids: own, body: (w) => ({ document: w.own.document }), expect: ownRecord() },
  'delete /api/v1/integrations/{name}': { ids: own, expect: ownRecord() },
  'post /api/v1/integrations/{name}/properties/options': {
    ids: hash,
    body: (w) => ({ workspaceId: w.workspaceId, actionName: 'hash', propertyName: 'algorithm' }),
    expect: inWorkspace(),
  },
  'post /api/v1/integrations/{name}/properties/resolve': {
    ids: hash,
    body: (w) => ({ workspaceId: w.workspaceId, actionName: 'hash', propertyName: 'algorithm' }),
    expect: inWorkspace(),
  },
  'post /api/v1/actions/execute': {
    body: (w) => ({ workspaceId: w.workspaceId, integrationName: 'kv-store', actionName: 'get', input: { key: 'a' } }),
    expect: inWorkspace(),
  },

  'delete /api/v1/partials/{id}': { ids: partial, expect: inWorkspace('200', 'PARTIAL_NOT_FOUND') },
  'delete /api/v1/approval-policies/{id}': ofPolicy,
  'delete /api/v1/mcp/servers/{id}/access-tokens/{tokenId}': { ids: server, expect: inWorkspace() },
  'delete /api/v1/mcp/servers/{id}/oauth-tokens/{tokenId}': { ids: oauthServer, expect: inWorkspace() },
  'delete /api/v1/mcp/servers/{id}/tools/{toolId}': { ids: server, expect: inWorkspace() },
  'delete /api/v1/mcp/servers/{id}': { ids: server, expect: inWorkspace() },
  'delete /api/v1/connections/{id}': { ids: (w) => ({ id: w.connectionId }), expect: inWorkspace('200', 'CONNECTION_NOT_FOUND') },
  'delete /api/v1/end-users/{id}': { ids: endUser, expect: inWorkspace() },
  'delete /api/v1/workspaces/{workspaceId}/integrations/{id}': { ids: instance, expect: inWorkspace() },
  'delete /api/v1/oauth-apps/{id}': { ids: (w) => ({ id: w.oauthAppId }), expect: orgWideRecord() },
  'delete /api/v1/members/{id}': { ids: member, expect: memberRecord() },
  'delete /api/v1/api-keys/{id}': { ids: (w) => ({ id: w.apiKeyId }), expect: orgWideRecord() },
  'delete /api/v1/workspaces/{id}': { ids: workspace, expect: inWorkspace() },
};
