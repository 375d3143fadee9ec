import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { aModel, type FakeModel, scored } from '../support/a-model.ts';
import { callerOf } from '../support/caller.ts';
import { type Mailbox, openMailbox } from '../support/mailbox.ts';
import { patientDatabase } from '../support/patient-database.ts';
import { aReceiver, type Receiver } from '../support/receiver.ts';
import { type OwnSystem, startSystem, testEnvironment } from '../support/system.ts';
import { aPolicy, aServer, aTenant, type Tenant } from '../support/tenant.ts';

type Secrets = Record<string, string>;

let own: OwnSystem;
let tenant: Tenant;
let model: FakeModel;
let upstream: Receiver;
let hooks: Receiver;
let mailbox: Mailbox;
let secrets: Secrets;
/** What the service answered, logged, sent and stored in Temporal, by location. */
let told: Record<string, string>;

beforeAll(async () => {
  const seed = randomBytes(32).toString('base64');
  const modelKey = `model-key-${randomBytes(20).toString('hex')}`;
  [model, upstream, hooks, mailbox] = await Promise.all([aModel(), aReceiver(), aReceiver(), openMailbox()]);
  model.say(() => scored(0.9));
  own = await startSystem({
    env: {
      LOG_LEVEL: 'debug',
      RECEIPT_SIGNING_KEY: seed,
      ...model.env,
      MODEL_API_KEY: modelKey,
      SMTP_URL: mailbox.url,
      MAIL_FROM: 'x@example.com',
    },
  });
  const { ENCRYPTION_KEYS, TOKEN_PEPPER } = await testEnvironment();
  tenant = await aTenant(own);
  secrets = { seed, modelKey, pepper: TOKEN_PEPPER!, encryptionKey: ENCRYPTION_KEYS!.split(':')[1]!, ...(await live()) };
  told = await gather();
});
afterAll(async () => {
  await own?.stop();
  await Promise.all([model, upstream, hooks, mailbox].map((part) => part?.close()));
});

const SENT = {
  password: 'zq4711-password',
  header: 'zq4711-header-9182',
  query: 'zq4711-query',
  enforced: 'zq4711-enforced',
  account: 'zq4711-account-key',
  clientSecret: 'zq4711-client-secret',
  inCode: 'zq4711-in-code',
};

async function live(): Promise<Secrets> {
  const { api, workspaceId } = tenant;
  const post = (path: string, body?: object, status = 200) => api.must(status).post(path, body);
  const { plainKey: reader } = await post('/api/v1/api-keys', { name: 'Reader' });
  const tools = await aServer(tenant, 'TOOLS', ['http', 'hash-encode']);
  const { server: code } = await post(
    '/api/v1/mcp/servers',
    { name: 'Code', workspaceId, mode: 'CODE', authMode: 'oauth_and_bearer' },
    201,
  );
  const { endUser } = await post('/api/v1/end-users', { workspaceId, externalId: 'ada', email: 'ada@example.com' }, 201);
  const { accessToken } = await post(`/api/v1/mcp/servers/${code.id}/access-tokens`, { endUserId: 'ada' }, 201);
  const { accessToken: oauthToken } = await post(`/api/v1/mcp/servers/${code.id}/oauth-tokens`, { endUserId: 'ada' }, 201);
  const { token: portalToken } = await post(`/api/v1/end-users/${endUser.id}/connect-token`);
  const invited = await post(`/api/v1/end-users/${endUser.id}/invite`, { email: 'ada@example.com' });
  const session = { workspaceId, integrationName: 'openai', connectionName: 'x', externalId: 'x' };
  const { token: sessionToken } = await post('/api/v1/connect/token', session, 201);
  await post('/api/v1/connections', { integrationName: 'openai', externalId: 'o', type: 'SECRET_TEXT', secretText: SENT.account }, 201);
  await post('/api/v1/oauth-apps', { integrationName: 'slack', clientId: 'id', clientSecret: SENT.clientSecret }, 201);

  const webhookUrl = `${hooks.url}/hook`;
  const approvers = [{ type: 'end_user' }, { type: 'webhook', webhookUrl }];
  const policy = await aPolicy(tenant, { integrationNames: ['http'], riskMode: 'model_assisted', approvers });
  const firstHook = (policy.approvers as { secret?: string }[])[1]!.secret!;
  const { secret: secondHook } = await post(`/api/v1/approval-policies/${policy.id}/webhook-secrets/rotate`);
  await aPolicy(tenant, { integrationNames: ['hash-encode'] });
  const values = { timeout: 7, body: { note: SENT.enforced } };
  const partial = { workspaceId, integrationName: 'http', name: 'p', values, enforcedKeys: ['body'] };
  const { partial: made } = await post('/api/v1/partials', partial, 201);
  const input = {
    method: 'POST',
    url: `${upstream.url}/in?token=${SENT.query}&note=${SENT.enforced}`,
    headers: { Authorization: `Custom ${SENT.header}` },
    body_type: 'json',
    queryParams: { password: SENT.password },
  };
  const call = { workspaceId, integrationName: 'http', actionName: 'send_request', input, endUserId: 'ada', partialIds: [made.id] };
  const { approval } = await post('/api/v1/actions/execute', call, 202);
  const link = new URL(approval.hostedApprovalUrl).searchParams.get('token')!;
  const portal = await (await fetch(`${own.apiUrl}/connect/portal?token=${portalToken}`)).text();
  const personal = /token=(apr_link_v1_\w+)&(?:amp;)?as=/.exec(portal)![1]!;
  // Opens both kinds of links, so that the logs have both kinds of requests.
  for (const url of [approval.hostedApprovalUrl, approval.hostedApprovalUrl.replace(link, personal).concat('&as=end_user%3Aada')])
    await fetch(url);
  await post(`/api/v1/approvals/${approval.id}/approve`, { reason: 'fine' });
  await post('/api/v1/actions/execute', { ...call, ...approval.retry });
  const run = { code: `return await svc.hash_encode.hash({ text: 'password=${SENT.inCode}' })` };
  await post(`/api/v1/mcp/servers/${code.id}/execute-code`, run);
  await callerOf(own.apiUrl, tools.token).post(new URL(tools.endpoint).pathname, { jsonrpc: '2.0', id: 1, method: 'tools/list' });
  await hooks.has(2);
  return {
    ...SENT,
    ...{ key: tenant.plainKey, reader, serverToken: tools.token, accessToken, oauthToken, portalToken, sessionToken },
    ...{ invitation: invited.token, firstHook, secondHook, link, personal },
  };
}

async function gather(): Promise<Record<string, string>> {
  const { api } = tenant;
  const reader = callerOf(own.apiUrl, secrets.reader);
  const { approvals } = await reader.must(200).get('/api/v1/approvals?limit=100');
  const approved = approvals.find(({ status }: { status: string }) => status === 'consumed');
  const details = await Promise.all(approvals.map(({ id }: { id: string }) => reader.must(200).get(`/api/v1/approvals/${id}`)));
  const page = await (await fetch(`${own.apiUrl}/approve/${approvals[0].id}?token=${secrets.link}`)).text();
  const { codeRuns } = await reader.must(200).get('/api/v1/code-runs');
  const answers = {
    previews: { approvals, details },
    'code runs': await Promise.all(codeRuns.map(({ id }: { id: string }) => reader.must(200).get(`/api/v1/code-runs/${id}`))),
    activity: await reader.must(200).get('/api/v1/activity'),
    receipts: await reader.must(200).get(`/api/v1/approvals/${approved.id}/receipt`),
    policies: await api.must(200).get('/api/v1/approval-policies'),
    jwks: await (await fetch(`${own.apiUrl}/.well-known/jwks.json`)).json(),
    errors: [await api.post('/api/v1/approvals/nothing/approve'), await reader.post(`/api/v1/approvals/${approved.id}/approve`)],
  };
  const histories = await readHistories();
  await Promise.all([own.api.stop(), own.worker.stop()]); // makes the logs complete
  const logs = ['api', 'worker'].map((name) => readFileSync(join(own.dataDir, 'logs', `${name}.log`), 'utf8')).join('\n');
  return {
    ...Object.fromEntries(Object.entries(answers).map(([name, answer]) => [name, JSON.stringify(answer)])),
    ...{ histories, logs, page },
    webhooks: JSON.stringify(hooks.received),
    'questions to the model': JSON.stringify(model.received.map(({ body }) => body)),
    'headers to the model': JSON.stringify(model.received.map(({ headers }) => headers)),
    mails: mailbox.mails.map(({ raw }) => raw.replace(/=\r?\n/g, '').replaceAll('=3D', '=')).join('\n'),
  };
}

async function readHistories(): Promise<string> {
  const connection = await Connection.connect({ address: own.temporalAddress });
  const { workflow } = new Client({ connection });
  const texts: string[] = [];
  for await (const { workflowId, runId, taskQueue } of workflow.list()) {
    if (taskQueue !== own.taskQueue) continue;
    texts.push(JSON.stringify(JSON.parse(historyToJSON(await workflow.getHandle(workflowId, runId).fetchHistory())), readable));
  }
  await connection.close();
  return texts.join('\n');
}

function readable(key: string, value: unknown): unknown {
  return key === 'data' && typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : value;
}

const ALLOWED: Record<string, string[]> = {
  webhooks: ['link'],
  mails: ['invitation'],
  'headers to the model': ['modelKey'],
  page: ['link'],
};

test.each([
  ...['logs', 'errors', 'histories', 'previews', 'code runs', 'policies', 'activity', 'receipts', 'jwks', 'webhooks', 'page', 'mails'],
  ...['questions to the model', 'headers to the model'],
])('%s: there are only secrets that the reader needs', (where) => {
  const text = told[where]!;
  expect(text.length).toBeGreaterThan(20);
  const found = Object.keys(secrets).filter((name) => text.includes(secrets[name]!));
  expect(found.filter((name) => !ALLOWED[where]?.includes(name))).toEqual([]);
});

test('the database has plain secrets only in the values of partials and the code of runs', async () => {
  const db = patientDatabase(own.databaseUrl);
  const { rows } = await db.raw(
    `select table_name, column_name, data_type = 'bytea' as bytes from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  const found = new Set<string>();
  for (const { table_name: table, column_name: column, bytes } of rows) {
    const text = bytes ? "encode(??, 'escape')" : '??::text';
    for (const [name, secret] of Object.entries(secrets)) {
      const held = await db.raw(`select 1 from ?? where ${text} like ? escape ? limit 1`, [
        table,
        column,
        `%${secret.replace(/[%_\\]/g, '\\$&')}%`,
        '\\',
      ]);
      if (held.rows.length > 0) found.add(`${table}.${column}: ${name}`);
    }
  }
  await db.destroy();
  expect([...found].sort()).toEqual(['code_runs.code: inCode', 'code_runs.program: inCode', 'partials.values: enforced']);
});
