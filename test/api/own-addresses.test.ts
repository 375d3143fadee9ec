import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { openTokens } from '../../infra/tokens.ts';
import { aReceiver, type Receiver } from '../support/receiver.ts';
import { system } from '../support/system.ts';
import { aPolicy, aTenant, type Tenant } from '../support/tenant.ts';
import { aWire } from '../support/wire.ts';

let tenant: Tenant;
let port: string;
let receiver: Receiver;
beforeAll(async () => {
  tenant = await aTenant();
  ({ port } = new URL(tenant.apiUrl));
  receiver = await aReceiver();
});
afterAll(() => receiver.close());

const OWN = /is a part of this service itself\. The service's own addresses are never called/;

const execute = (integrationName: string, actionName: string, input: object) =>
  tenant.api.post('/api/v1/actions/execute', { workspaceId: tenant.workspaceId, integrationName, actionName, input });
const send = (url: string, fields: object = {}) => execute('http', 'send_request', { method: 'GET', url, ...fields });

/** Makes a call that waits for approval. Anyone with the returned link can approve the call. */
async function aGatedCall(): Promise<{ id: string; hostedApprovalUrl: string }> {
  await aPolicy(tenant, { integrationNames: ['hash-encode'], decision: 'require_approval' });
  for (;;) {
    const { status, body } = await execute('hash-encode', 'encode', { text: crypto.randomUUID(), encoding: 'hex' });
    // Status 503: other tests overload the service.
    if (status === 503) continue;
    expect(status).toBe(202);
    return body.approval;
  }
}

const statusOf = async (id: string) => (await tenant.api.must(200).get(`/api/v1/approvals/${id}`)).approval.status;

test('an agent cannot open the approval page of its call under another spelling of the address', async () => {
  const { id, hostedApprovalUrl } = await aGatedCall();
  const path = new URL(hostedApprovalUrl).pathname;
  const addresses = Object.values(networkInterfaces()).flatMap((found = []) => found);
  const here = addresses.filter(({ family }) => family === 'IPv4').map(({ address }) => address);
  for (const host of ['127.0.0.1', 'localhost', '127.1', '0x7f000001', '2130706433', '127.0.0.2', '127.0.0.1.', '①②⑦.0.0.1', ...here]) {
    const url = `http://${host}:${port}${path}`;
    const form = { body_type: 'raw', body: 'decision=approve', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    const [read, posted] = [await send(url), await send(url, { method: 'POST', ...form })];
    expect([host, read.status, posted.status]).toEqual([host, 400, 400]);
    expect([read.body.code, posted.body.code]).toEqual(['ACTION_FAILED', 'ACTION_FAILED']);
    if (host.startsWith('127') || host === 'localhost')
      expect([read.body.error, posted.body.error]).toEqual(Array(2).fill(expect.stringMatching(OWN)));
  }
  expect(await statusOf(id)).toBe('pending');
});

test.each<[string, (base: string) => [string, string, object]]>([
  [
    'the API, with a key that the agent holds',
    (base) => [
      'http',
      'send_request',
      { method: 'GET', url: `${base}/api/v1/approvals`, headers: { authorization: `Bearer ${tenant.plainKey}` } },
    ],
  ],
  ['GraphQL', (base) => ['graphql', 'send_request', { url: `${base}/api/v1/approvals`, query: '{ a }' }]],
  ['the text of a page', (base) => ['web-reader', 'fetch_as_text', { url: `${base}/docs` }]],
  ['the links on a page', (base) => ['web-reader', 'extract_links', { url: `${base}/docs` }]],
  ['health', (base) => ['http', 'send_request', { method: 'HEAD', url: `${base}/health` }]],
])('an action cannot reach the service: %s', async (_, callOf) => {
  const { status, body } = await execute(...callOf(tenant.apiUrl));
  expect([status, body.code, body.error]).toEqual([400, 'ACTION_FAILED', expect.stringMatching(OWN)]);
});

test('a redirect or a changed download link cannot reach the service', async () => {
  const { id, hostedApprovalUrl } = await aGatedCall();
  const path = new URL(hostedApprovalUrl).pathname;
  const redirecting = await aRedirect(hostedApprovalUrl);
  expect((await send(redirecting.url, { followRedirects: true })).body.error).toMatch(OWN);
  redirecting.close();
  for (const astray of [
    `/files/..${path}`,
    `/files/%2e%2e${path}`,
    `/files/..%2f${path}`,
    `/files/x/..${path}`,
    `/files//..${path}`,
    `/files\\..${path}`,
    `//files/a.b`,
    '/FILES/a.b',
    '/files/',
    '/files',
    '/files/a.b/c',
    '/files/a.b;x',
    '/files/a.b?_method=POST',
    '/files/a%2eb',
  ]) {
    expect([astray, (await send(`${tenant.apiUrl}${astray}`)).body.error]).toEqual([astray, expect.stringMatching(OWN)]);
  }
  expect(await statusOf(id)).toBe('pending');
});

async function aRedirect(location: string) {
  const server = createServer((_, response) => response.writeHead(302, { location }).end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

test('a download link accepts only GET and HEAD, without headers that proxies interpret', async () => {
  const configured = { integrationName: 'storage', settings: { persistence: { scope: 'workspace' } } };
  await tenant.api.must(201).post(`/api/v1/workspaces/${tenant.workspaceId}/integrations`, configured);
  await execute('storage', 'write_file', { path: 'note.txt', content: 'kept' });
  const { url } = (await execute('storage', 'get_download_url', { path: 'note.txt' })).body.output;
  expect((await send(url)).body.output).toMatchObject({ status: 200, body: 'kept' });
  expect((await send(url, { method: 'HEAD' })).body.output.status).toBe(200);
  const tricks = [
    { method: 'POST' },
    { method: 'DELETE' },
    { headers: { 'X-HTTP-Method-Override': 'POST' } },
    { headers: { 'X-Original-URL': '/approve/x' } },
    { headers: { Authorization: `Bearer ${tenant.plainKey}` } },
  ];
  for (const trick of tricks) expect([trick, (await send(url, trick)).body.error]).toEqual([trick, expect.stringMatching(OWN)]);
  // A connection that a download has opened carries no other request.
  await send(url);
  expect((await send(tenant.apiUrl, { method: 'POST' })).body.error).toMatch(OWN);
});

test('behind an unconfigured tunnel, the service recognizes its own requests by a header', async () => {
  const { id, hostedApprovalUrl } = await aGatedCall();
  const tunnel = await aWire({ host: '127.0.0.1', port: Number(port) });
  const { TOKEN_PEPPER } = (await system()).secrets;
  const loopId = `integration-gateway-${openTokens(TOKEN_PEPPER).key('outbound loop').toString('hex').slice(0, 16)}`;
  const url = hostedApprovalUrl.replace(`:${port}`, `:${tunnel.port}`);
  try {
    for (const headers of [{}, { 'CDN-Loop': '' }, { 'cdn-loop': 'other' }, { 'Cdn-Loop': 'a, b; c=d', 'CDN-LOOP': 'e' }]) {
      const { output } = (await send(url, { headers, failureMode: 'none' })).body;
      expect([output.status, output.body]).toEqual([403, expect.objectContaining({ code: 'ORIGIN_NOT_ALLOWED' })]);
    }
  } finally {
    await tunnel.close();
  }
  expect(await statusOf(id)).toBe('pending');
  await send(receiver.url, { headers: { 'CDN-Loop': 'other' } });
  expect(receiver.received.at(-1)!.headers['cdn-loop']).toBe(`other, ${loopId}`);
  expect(loopId).not.toContain(TOKEN_PEPPER);
});

test('a policy cannot have a webhook at an address of the service', async () => {
  const { api } = tenant;
  const webhooks = (...urls: string[]) => urls.map((webhookUrl) => ({ type: 'webhook', webhookUrl }));
  const others = webhooks(receiver.url);
  const { policy } = await api
    .must(200)
    .post('/api/v1/approval-policies', { name: 'Fine', decision: 'require_approval', integrationNames: ['datetime'], approvers: others });
  for (const url of [
    tenant.apiUrl,
    `http://localhost:${port}/x`,
    `http://a.localhost:${port}/`,
    `http://127.7:${port}/api/v1/approvals`,
    `${tenant.apiUrl}/files/a.b`,
    `HTTP://LOCALHOST.:${port}`,
  ]) {
    const approvers = [...others, ...webhooks(url)];
    const created = await api.post('/api/v1/approval-policies', { name: 'Loop', approvers });
    const changed = await api.patch(`/api/v1/approval-policies/${policy.id}`, { approvers });
    for (const { status, body } of [created, changed]) {
      expect([url, status, body.code]).toEqual([url, 400, 'VALIDATION_ERROR']);
      expect(body.details.issues).toEqual([{ path: 'approvers.1.webhookUrl', message: expect.stringMatching(OWN) }]);
    }
  }
  expect((await api.must(200).get(`/api/v1/approval-policies/${policy.id}`)).policy.approvers).toEqual([
    expect.objectContaining({ webhookUrl: receiver.url }),
  ]);
});
