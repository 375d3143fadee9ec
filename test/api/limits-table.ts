import {
  ADVANCED_CODE_TIMEOUT_SECONDS,
  APPROVAL_WAIT_SECONDS,
  BODY_MAX_BYTES,
  BODY_MAX_DEPTH,
  BODY_MAX_KEYS,
  CODE_RUN,
  CONNECT_TOKEN_SECONDS,
  DECISION_REASON_MAX_LENGTH,
  IDEMPOTENCY_KEY_MAX_LENGTH,
  MCP_TOKEN_SECONDS,
  NAME_MAX_LENGTH,
  PAGE,
  PARTIAL,
  POLICY,
  SLUG,
} from '../../domain/limits.ts';
import { alias, description, email, https, keptJson, type Limits, many, nested, number, offset, text } from './limits-bounds.ts';
import { END_USER, type World } from './tenants/a-world.ts';

const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';
const UNKNOWN_APPROVAL = 'apr_0000000000000000000000';
const UNKNOWN_RUN = 'crun_0000000000000000000000';

const hash = { integrationName: 'hash-encode', actionName: 'hash', input: { text: '' } };
const BESIDE = JSON.stringify({ workspaceId: UNKNOWN_ID, ...hash });

const LISTS = ['end-users', 'connections', 'mcp/servers', 'partials'];
const LISTS_OF_ORG = ['workspaces', 'oauth-apps'];
const server = (w: World) => `/api/v1/mcp/servers/${w.serverId}`;
const integrations = (w: World) => `/api/v1/workspaces/${w.workspaceId}/integrations`;
const inWorkspace = ({ workspaceId }: World) => ({ workspaceId });

export const LIMITS: Limits[] = [
  ...LISTS.map((resource) => ({
    ...{ request: `get ${resource}`, within: '200', bounds: { limit: number(PAGE), offset } },
    path: (w: World) => `/api/v1/${resource}?workspaceId=${w.workspaceId}`,
  })),
  ...LISTS_OF_ORG.map((resource) => ({
    ...{ request: `get ${resource}`, within: '200', bounds: { limit: number(PAGE), offset } },
    path: () => `/api/v1/${resource}?`,
  })),
  {
    ...{ request: 'get approvals', within: '200', path: (w) => `/api/v1/approvals?workspaceId=${w.workspaceId}` },
    bounds: { limit: number(PAGE), integrationName: text(NAME_MAX_LENGTH, 0), actionName: text(NAME_MAX_LENGTH, 0) },
  },
  {
    ...{ request: 'get code-runs', within: '200', path: (w) => `/api/v1/code-runs?workspaceId=${w.workspaceId}` },
    bounds: { limit: number(PAGE), endUserId: text() },
  },
  {
    ...{ request: 'post code-runs cancel', path: () => `/api/v1/code-runs/${UNKNOWN_RUN}/cancel` },
    ...{ within: '404 CODE_RUN_NOT_FOUND', bounds: { reason: text(DECISION_REASON_MAX_LENGTH, 0) } },
  },
  {
    ...{ request: 'get activity', within: '200', path: (w) => `/api/v1/activity?workspaceId=${w.workspaceId}` },
    bounds: { limit: number(PAGE), codeRunId: text(NAME_MAX_LENGTH, 0) },
  },
  {
    ...{ request: 'post api-keys', path: () => '/api/v1/api-keys', within: '200', body: () => ({ name: 'x' }) },
    bounds: {
      name: text(),
      permissions: {
        ...{ max: 1000, make: (size) => ({ scope: 'workspace', workspaceIds: Array(size).fill(UNKNOWN_ID) }) },
        within: '404 NOT_FOUND',
      },
    },
  },
  {
    ...{ request: 'post workspaces', path: () => '/api/v1/workspaces', within: '201' },
    body: (_, unique) => ({ name: 'x', slug: `limits-${unique}` }),
    bounds: { name: text(), slug: text(SLUG.maxLength) },
  },
  {
    ...{ request: 'post integrations', path: integrations, within: '201' },
    body: (_, unique) => ({ integrationName: 'kv-store', alias: `kv-${unique}` }),
    bounds: {
      ...{ alias: alias('a'), displayName: text(), enabledActions: many(1000, 'get') },
      'settings.persistence': { ...text(), make: (size) => ({ scope: 'external', externalId: 'a'.repeat(size) }) },
    },
  },
  {
    ...{ request: 'post integrations of advanced-code', path: integrations, within: '201' },
    body: (_, unique) => ({ integrationName: 'advanced-code', alias: `code-${unique}` }),
    bounds: { 'settings.advancedCode.timeoutSeconds': number(ADVANCED_CODE_TIMEOUT_SECONDS) },
  },
  {
    ...{ request: 'patch integrations', path: (w) => `${integrations(w)}/${w.integrationId}`, within: '200' },
    bounds: { alias: alias('b'), displayName: text() },
  },
  {
    ...{ request: 'post members', path: () => '/api/v1/members', within: '201' },
    body: (_, unique) => ({ name: 'x', email: `limits-${unique}@example.com`, role: 'viewer' }),
    bounds: { name: text(), email },
  },
  {
    ...{ request: 'post end-users', path: () => '/api/v1/end-users', within: '201' },
    body: (w, unique) => ({ ...inWorkspace(w), externalId: `limits-${unique}` }),
    bounds: {
      ...{ externalId: text(), displayName: text(), email, metadata: keptJson },
      'metadata.deep': { max: BODY_MAX_DEPTH, make: (size) => nested(size - 2) },
    },
  },
  {
    ...{ request: 'post approval-policies/test', path: () => '/api/v1/approval-policies/test', within: '200' },
    body: (w) => ({
      ...{ policy: {}, context: { ...inWorkspace(w), source: 'rest', integrationName: 'x', actionName: 'x', input: {} } },
    }),
    // 8 values are not items: the policy, the context, its five fields, and the list itself.
    bounds: { 'context.input.many': { max: BODY_MAX_KEYS, make: (size) => Array(size - 8).fill(0) } },
  },
  {
    ...{ request: 'post actions/execute, as a whole', path: () => '/api/v1/actions/execute', beyond: '413 PAYLOAD_TOO_LARGE' },
    ...{ within: '200', body: (w) => ({ ...inWorkspace(w), ...hash }) },
    bounds: { 'input.text': { max: BODY_MAX_BYTES, make: (size) => 'a'.repeat(size - BESIDE.length) } },
  },
  {
    ...{ request: 'patch end-users', path: (w) => `/api/v1/end-users/${w.endUserId}`, within: '200' },
    bounds: { displayName: text(), email, metadata: keptJson },
  },
  ...['connect-token', 'invite'].map((call) => ({
    ...{ request: `post ${call}`, path: (w: World) => `/api/v1/end-users/${w.endUserId}/${call}` },
    body: () => (call === 'invite' ? { email: 'a@example.com' } : {}),
    within: call === 'invite' ? '400 EMAIL_NOT_CONFIGURED' : '200',
    bounds: { expiresIn: number(CONNECT_TOKEN_SECONDS) },
  })),
  {
    ...{ request: 'post connections', path: () => '/api/v1/connections', within: '201' },
    body: (_, unique) => ({ integrationName: 'openai', externalId: `limits-${unique}`, type: 'SECRET_TEXT', secretText: 'x' }),
    bounds: { externalId: text(), displayName: text(), secretText: text(64 * 1024) },
  },
  {
    ...{ request: 'post connections with OAuth', path: () => '/api/v1/connections', within: '201' },
    body: (_, unique) => ({ integrationName: 'slack', externalId: `limits-${unique}`, type: 'OAUTH2', accessToken: 'x' }),
    bounds: { expiresIn: number({ min: 1, max: 100 * 365 * 86_400 }), data: keptJson },
  },
  {
    ...{ request: 'post connect/token', path: () => '/api/v1/connect/token', within: '201' },
    body: (w) => ({ ...inWorkspace(w), integrationName: 'openai', connectionName: 'x', externalId: 'x' }),
    bounds: { connectionName: text(), externalId: text(), successRedirectUri: https, errorRedirectUri: https },
  },
  {
    ...{ request: 'post connect/session/poll', path: () => '/api/v1/connect/session/poll', within: '404 NOT_FOUND' },
    bounds: { token: text(200, 0) },
  },
  {
    ...{ request: 'post mcp/servers', path: () => '/api/v1/mcp/servers', within: '201' },
    body: (w) => ({ ...inWorkspace(w), name: 'x' }),
    bounds: {
      ...{ name: text(), description, createdBy: text(NAME_MAX_LENGTH, 0) },
      'settings.codeMode.approvalWaitSeconds': number(APPROVAL_WAIT_SECONDS),
      endUserId: { ...text(), make: (size) => 'z'.repeat(size), within: '404 END_USER_NOT_FOUND' },
    },
  },
  {
    ...{ request: 'patch mcp/servers', path: server, within: '200' },
    bounds: { name: text(), description, 'settings.codeMode.approvalWaitSeconds': number(APPROVAL_WAIT_SECONDS) },
  },
  ...['access-tokens', 'oauth-tokens'].map((kind) => ({
    ...{ request: `post ${kind}`, within: '201', body: () => ({ endUserId: END_USER }) },
    path: (w: World) => `/api/v1/mcp/servers/${kind === 'access-tokens' ? w.serverId : w.oauthServerId}/${kind}`,
    bounds: { expiresIn: number(MCP_TOKEN_SECONDS), scopes: many(10, 'mcp:tools', 1) },
  })),
  {
    ...{ request: 'post tools', path: (w) => `${server(w)}/tools`, within: '201' },
    body: (_, unique) => ({ integrationName: 'datetime', actionName: 'date_math', integrationAlias: `limits-${unique}` }),
    bounds: {
      ...{ integrationAlias: alias('c'), displayName: text(), description, inputDefaults: keptJson },
      partialIds: { ...many(100, UNKNOWN_ID), within: '404 PARTIAL_NOT_FOUND' },
    },
  },
  {
    ...{ request: 'patch tools', path: (w) => `${server(w)}/tools/${w.toolId}`, within: '200' },
    bounds: { displayName: text(), description, integrationAlias: alias('d'), inputDefaults: keptJson },
  },
  {
    ...{ request: 'post execute-code', path: (w) => `${server(w)}/execute-code`, beyond: '400 INVALID_CODE_EXECUTE_REQUEST' },
    within: '503 UNAVAILABLE',
    bounds: { code: text(CODE_RUN.codeMaxBytes) },
  },
  {
    ...{ request: 'post execute-code to go on', path: (w) => `${server(w)}/execute-code`, beyond: '400 INVALID_CODE_EXECUTE_REQUEST' },
    ...{ body: () => ({ approvalId: UNKNOWN_APPROVAL }), within: '404 APPROVAL_NOT_FOUND' },
    bounds: { waitForApprovalSeconds: number(APPROVAL_WAIT_SECONDS), approvalId: text(100) },
  },
  {
    ...{ request: 'post partials', path: () => '/api/v1/partials', within: '201' },
    body: (w, unique) => ({ ...inWorkspace(w), integrationName: 'kv-store', name: `limits ${unique}`, values: { a: 1 } }),
    bounds: {
      name: text(PARTIAL.nameMaxLength),
      description: text(PARTIAL.descriptionMaxLength, 0),
      enforcedKeys: many(1000, 'a'),
      values: keptJson,
    },
  },
  {
    ...{ request: 'patch partials', path: (w) => `/api/v1/partials/${w.partialId}`, within: '200' },
    bounds: {
      name: { ...text(PARTIAL.nameMaxLength), make: (size) => 'b'.repeat(size) },
      description: text(PARTIAL.descriptionMaxLength, 0),
      values: keptJson,
    },
  },
  ...(['post', 'patch'] as const).map((verb) => ({
    ...{ request: `${verb} approval-policies`, within: '200', body: () => ({ name: 'x', enabled: false }) },
    path: (w: World) => `/api/v1/approval-policies${verb === 'patch' ? `/${w.policyId}` : ''}`,
    bounds: {
      ...{ name: text(POLICY.nameMaxLength), description: text(POLICY.descriptionMaxLength, 0), priority: number(POLICY.priority) },
      ...{ timeoutSeconds: number(POLICY.timeoutSeconds), reuseWindowSeconds: number(POLICY.reuseWindowSeconds) },
      ...{
        metadata: keptJson,
        actionNames: many(500, 'x'),
        mcpServerIds: { ...many(500, UNKNOWN_ID), within: '404 NOT_FOUND' },
        approvers: many(50, { type: 'end_user' }),
      },
      ...{
        'rules.recipientAllowlist': many(500, 'x'),
        'rules.domainDenylist': { ...text(500), make: (size: number) => ['a'.repeat(size)] },
      },
      'approvers.0': { ...https, make: (size: number) => ({ type: 'webhook', webhookUrl: https.make(size) }) },
    },
  })),
  ...['approve', 'reject', 'cancel'].map((decision) => ({
    ...{ request: `post ${decision}`, path: () => `/api/v1/approvals/${UNKNOWN_APPROVAL}/${decision}` },
    ...{ within: '404 APPROVAL_NOT_FOUND', bounds: { reason: text(DECISION_REASON_MAX_LENGTH, 0), metadata: keptJson } },
  })),
  {
    ...{ request: 'post properties/options', path: () => '/api/v1/integrations/hash-encode/properties/options', within: '200' },
    body: (w) => ({ ...inWorkspace(w), actionName: 'hash', propertyName: 'algorithm' }),
    bounds: { searchValue: text(500, 0) },
  },
  {
    ...{ request: 'post actions/execute', path: () => '/api/v1/actions/execute', within: '200' },
    body: (w) => ({ ...inWorkspace(w), integrationName: 'hash-encode', actionName: 'hash', input: { text: 'x' } }),
    bounds: {
      idempotencyKey: text(IDEMPOTENCY_KEY_MAX_LENGTH),
      partialIds: { ...many(100, UNKNOWN_ID), within: '404 PARTIAL_NOT_FOUND' },
      endUserId: text(),
      integrationAlias: { ...alias('e'), within: '404 NOT_FOUND' },
    },
  },
];
