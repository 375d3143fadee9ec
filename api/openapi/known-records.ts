import { authFlags } from '../../domain/mcp-server.ts';
import { KNOWN } from './known-values.ts';

/**
 * Example values of records, by schema id and field. `undefined` leaves a field out. The id
 * `Answer` means the object around the records.
 */
export type KnownRecords = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const ourAccount = { externalId: 'our-slack', displayName: 'Our Slack', authMethodKey: 'bot' };
const connected = { ...ourAccount, status: 'COMPLETED', workspaceIntegrationId: null };
const instance = { displayName: 'Our Slack', settings: {} };
const slack = {
  name: 'slack',
  displayName: 'Slack',
  description: 'Send and read messages in a Slack workspace',
  categories: ['COMMUNICATION'],
  auth: { type: ['OAUTH2', 'SECRET_TEXT'] },
  authOptions: [
    {
      key: 'oauth2',
      type: 'OAUTH2',
      displayName: 'Sign in with Slack',
      description: 'Installs the app into a Slack workspace; the bot acts',
    },
    { key: 'bot-token', type: 'SECRET_TEXT', displayName: 'Bot token', description: 'The bot token (xoxb-…) of a Slack app' },
  ],
};
const undecided = {
  decidedByType: null,
  decidedById: null,
  decisionReason: null,
  decisionMetadata: null,
  decidedAt: null,
  consumedAt: null,
};
const outgoing = {
  name: 'Outgoing messages',
  description: 'A person looks at what is sent',
  priority: 100,
  sources: ['rest', 'sdk', 'mcp_tools', 'mcp_code'],
  decision: 'require_approval',
  riskMode: 'always',
  rules: {},
  timeoutSeconds: 3600,
  reuseWindowSeconds: null,
  approvalAccessMode: 'dashboard_and_hosted_link',
  version: 1,
};
const held = {
  mcpServerId: null,
  connectionStrategy: 'fixed',
  endUserId: null,
  source: 'rest',
  status: 'pending',
  riskScore: null,
  riskCategory: null,
  approvalAccessMode: 'dashboard_and_hosted_link',
  requestedByType: 'api_key',
  requestedById: KNOWN.id,
  ...undecided,
};
const stated = {
  jti: KNOWN.id,
  iss: 'https://gateway.example.com',
  iat: 1_768_469_640,
  exp: 1_768_473_240,
  kind: 'call',
  approvalId: 'apr_4kX9mZ7Qw2LpT8vB1nC6dR',
  ...{ orgId: KNOWN.id, workspaceId: KNOWN.id, source: 'rest', mcpServerId: null, endUserId: null, inputHash: KNOWN.inputHash },
  ...{ policyId: KNOWN.id, policyVersion: 1, policyName: 'Outgoing messages' },
  requestedBy: { type: 'api_key', id: KNOWN.id },
  decidedBy: { type: 'hosted_link', id: null },
  decidedAt: KNOWN.decidedAt,
  ...{ workspaceIntegrationId: KNOWN.id, integrationName: 'slack', integrationAlias: 'slack', actionName: 'send_channel_message' },
  ...{ connectionId: KNOWN.id, connectionVersion: 1, codeRunId: null, codeHash: null, toolSurfaceHash: null },
};
const ran = {
  ...{
    requestedByType: 'mcp_token',
    requestedById: KNOWN.id,
    status: 'executed',
    codeHash: KNOWN.inputHash,
    passNumber: 2,
    runningMs: 412,
  },
  finishedAt: '2026-01-15T09:34:02.000Z',
};
const delivery = {
  id: KNOWN.id,
  eventType: 'approval.requested',
  callbackUrl: KNOWN.callbackUrl,
  attempt: 1,
  status: 'success',
  httpStatus: 200,
  errorMessage: null,
  createdAt: KNOWN.createdAt,
  deliveredAt: KNOWN.createdAt,
};

export const KNOWN_RECORDS: KnownRecords = {
  ApiKey: {
    name: 'Billing backend',
    permissions: { scope: 'workspace', workspaceIds: [KNOWN.id], approvals: { decide: true } },
  },
  Connection: { ...ourAccount, scope: 'ORGANIZATION', workspaceId: null, endUserId: null },
  ConnectionSummary: { externalId: 'slack-of-ada', displayName: 'Slack of Ada' },
  ConnectOutcome: connected,
  ConnectSession: connected,
  ConnectSessionToken: { token: 'cst_…', connectUrl: 'https://gateway.example.com/connect?token=cst_…' },
  EndUser: { connectionCount: 1 },
  OauthApp: { displayName: 'Our Slack app' },
  WorkspaceIntegration: instance,
  ListedWorkspaceIntegration: { ...instance, connectionExternalId: 'our-slack' },
  Integration: { ...slack, triggers: {} },
  IntegrationSummary: { ...slack, actionCount: 17, triggerCount: 0 },
  Action: {
    name: 'send_channel_message',
    displayName: 'Send message to channel',
    description: 'Post a message to a public or private channel',
    category: 'send',
  },
  ChangedField: { path: 'description', cut: undefined, absent: undefined },
  Prop: { type: 'DROPDOWN', displayName: 'Channel', description: 'Where the message goes', refreshers: [], secret: undefined },
  McpServer: {
    mode: 'CODE',
    settings: { codeMode: { approvalWaitSeconds: 30 } },
    authMode: 'bearer',
    auth: authFlags('bearer'),
    endUserId: null,
  },
  McpTool: { displayName: 'Tell the team', description: 'Send a message to the channel of the team', connectionId: null },
  McpOAuthToken: { tokenPrefix: 'mcpo_7Qw' },
  McpEndUserToken: { tokenPrefix: 'mcp_7Qw2' },
  Partial: { name: 'Channel of the team', description: 'Messages go to one channel', triggerName: null },
  ApprovalPolicy: outgoing,
  ApprovalPolicyVersion: { ...outgoing, restoredVersion: null, changedBy: { type: 'api_key', id: KNOWN.id } },
  Approval: held,
  ApprovalDetail: { ...held, webhookDeliveries: [delivery] },
  Receipt: {
    jws: 'eyJhbGciOiJFZERTQSIsInR5cCI6ImFwcHJvdmFsLXJlY2VpcHQrand0Iiwia2lkIjoi…',
    createdAt: KNOWN.decidedAt,
    expiresAt: '2026-01-15T10:34:00.000Z',
    claims: stated,
  },
  ListedCodeRun: ran,
  CodeRun: {
    ...ran,
    code: KNOWN.code,
    codeHiddenLines: [],
    codeIsWhole: true,
    error: null,
    outputIs: 'shown',
    logs: [{ level: 'log', message: 'told the team', timestamp: KNOWN.createdAt }],
    logsAre: 'shown',
    logsOmitted: 0,
  },
  CodeRunCall: { status: 'succeeded', column: 32, idempotent: false, startedMs: 12, durationMs: 340, outputIs: 'shown', error: null },
  CodeRunApproval: {
    ...{ status: 'consumed', callNumber: null, policyName: 'Outgoing messages', decidedByType: 'hosted_link', decidedById: null },
    ...{
      decisionReason: KNOWN.reason,
      codeRunUrl: 'https://gateway.example.com/approve/apr_4kX9mZ7Qw2LpT8vB1nC6dR/run?token=apr_link_v1_…',
    },
  },
  CodeRunPlan: {
    intentSummary: 'Runs a program that calls slack.send_channel_message.',
    impactSummary:
      'It makes 1 call. It needs your yes: slack.send_channel_message, at most once. It sends to others. We show what it sends.',
    predictedTools: [{ tool: 'slack.send_channel_message', line: 1, repeats: false, input: KNOWN.input }],
    approvalRequiredTools: ['slack.send_channel_message'],
    approvalGroups: [
      {
        ...{ approvalPolicyId: KNOWN.id, approvalPolicyName: 'Outgoing messages', approvalId: 'apr_4kX9mZ7Qw2LpT8vB1nC6dR' },
        tools: ['slack.send_channel_message'],
      },
    ],
    ...{ externalDomains: [], storageIndicators: [], analysisConfidence: 'exact', dynamicSignals: [], toolSurfaceHash: KNOWN.inputHash },
  },
  Activity: {
    ...{ id: 4711, type: 'approval.approved', actorType: 'api_key', actorId: KNOWN.id, policyVersion: 3 },
    ...{ position: 4703, hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' },
    ...{ callId: null, codeRunId: null, deliveryId: null },
    details: { status: 'approved', reason: KNOWN.reason, decisionMetadata: null, inputHash: KNOWN.inputHash },
  },
};

const decided = { decidedByType: 'api_key', decidedById: KNOWN.id, decisionReason: KNOWN.reason, decidedAt: KNOWN.decidedAt };

/** Example values of single routes, by method and path. */
export const KNOWN_ANSWERS: Readonly<Record<string, KnownRecords>> = {
  'post /api/v1/approvals/{id}/approve': { Approval: { ...held, ...decided, status: 'approved' } },
  'post /api/v1/approvals/{id}/reject': { Answer: { receipt: null }, Approval: { ...held, ...decided, status: 'rejected' } },
  'post /api/v1/code-runs/{id}/cancel': {
    CodeRun: {
      ...{
        ...ran,
        status: 'canceled',
        code: KNOWN.code,
        codeHiddenLines: [],
        codeIsWhole: true,
        output: null,
        outputIs: 'none',
        calls: [],
        logs: [],
      },
      ...{ error: { code: 'CODE_RUN_CANCELED', message: 'The run was canceled through the API.' }, logsAre: 'shown', logsOmitted: 0 },
    },
  },
  'post /api/v1/approvals/{id}/cancel': { Answer: { receipt: null }, Approval: { ...held, ...decided, status: 'canceled' } },
};
