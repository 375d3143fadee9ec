import { randomUUID } from 'node:crypto';
import { callerOf } from '../support/caller.ts';
import { aReceiver, type Receiver } from '../support/receiver.ts';
import { aPolicy, aServer, aTenant, type Tenant } from '../support/tenant.ts';

const EXECUTE = '/api/v1/actions/execute';

let receiver: Receiver;
let tenant: Tenant;
beforeAll(async () => {
  [tenant, receiver] = await Promise.all([aTenant(), aReceiver()]);
});
afterAll(() => receiver?.close());

const PEOPLE = [
  ['org_role', [{ type: 'org_role', roles: ['owner'] }]],
  ['dashboard_user', [{ type: 'dashboard_user', userIds: [randomUUID()] }]],
  ['end_user', [{ type: 'end_user' }]],
] as const;

// biome-ignore lint/suspicious/noExplicitAny: tests read bodies as their users do, field by field
type Body = any;

type Server = Awaited<ReturnType<typeof aServer>>;

const ask = (fields: object = {}): Promise<Body> => {
  const call = { workspaceId: tenant.workspaceId, integrationName: 'hash-encode', actionName: 'hash', input: { text: randomUUID() } };
  return tenant.api.must(202).post(EXECUTE, { ...call, ...fields });
};
const statusOf = async (id: string) => (await tenant.api.must(200).get(`/api/v1/approvals/${id}`)).approval.status;
const tokenOf = (url: string) => new URL(url).searchParams.get('token')!;
const linksIn = (answer: unknown) => [...new Set(JSON.stringify(answer).match(/https?:[^"\s)\\]*\?token=apr_link_v1_\w+/g) ?? [])];

function post(id: string, token: string, decision = 'approve', headers: Record<string, string> = {}, more: object = {}): Promise<Response> {
  const body = new URLSearchParams({ token, decision, ...more });
  return fetch(`${tenant.apiUrl}/approve/${id}`, { method: 'POST', body, headers, redirect: 'manual' });
}

async function expectShowsOnly(id: string, url: string): Promise<void> {
  expect(new URL(url).pathname).toBe(`/approve/${id}`);
  const token = tokenOf(url);
  const page = await fetch(url);
  expect(page.status).toBe(200);
  const html = await page.text();
  expect(html).toContain('This link shows the request but cannot decide it.');
  expect(html).not.toMatch(/(?:Skip|Go) to your decision/);
  expect(html).not.toContain('<form');
  for (const decision of ['approve', 'reject', 'cancel']) {
    const refused = await post(id, token, decision);
    expect(refused.status).toBe(403);
    expect(await refused.text()).toContain('Your decision was not accepted. Nothing changed.');
  }
  const asJson = await post(id, token, 'approve', { Accept: 'application/json' });
  expect([asJson.status, ((await asJson.json()) as Body).code]).toEqual([403, 'APPROVAL_DECISION_SCOPE_REQUIRED']);
  const tries = [
    post(id, token, 'approve', { Origin: tenant.apiUrl, 'Sec-Fetch-Site': 'same-origin' }),
    ...['decides', 'end_user%3Aada', 'user%3A1', ''].map((as) => post(id, token, 'approve', {}, { as })),
    post(`${id}/run`, token),
    fetch(`${url}&decision=approve`, { headers: { 'X-HTTP-Method-Override': 'POST' } }),
  ];
  for (const { status } of await Promise.all(tries)) expect([200, 403, 404, 405]).toContain(status);
  expect(await statusOf(id)).toBe('pending');
}

test.each(PEOPLE)('if a policy names approvers (%s), a REST caller gets only a read-only link', async (_, approvers) => {
  const { id: policyId } = await aPolicy(tenant, { priority: 0, actionNames: ['hash'], approvers });
  const call = { input: { text: randomUUID() }, endUserId: 'ada', idempotencyKey: randomUUID() };
  const [first, again] = [await ask(call), await ask(call)];
  expect(again.approval).toEqual(first.approval);
  const links = linksIn([first, again]);
  expect(links).toEqual([first.approval.hostedApprovalUrl]);
  await expectShowsOnly(first.approval.id, links[0]!);
  await tenant.api.must(200).delete(`/api/v1/approval-policies/${policyId}`);
});

test('repeated attempts to decide with a read-only link are recorded once', async () => {
  const { id: policyId } = await aPolicy(tenant, { priority: 0, actionNames: ['hash'], approvers: PEOPLE[0][1] });
  const { approval } = await ask();
  for (let tries = 0; tries < 3; tries += 1) await post(approval.id, tokenOf(approval.hostedApprovalUrl));
  const { activity } = await tenant.api.must(200).get(`/api/v1/activity?approvalId=${approval.id}`);
  const refused = activity.filter(({ type }: Body) => type === 'approval.decision_refused');
  expect(refused).toMatchObject([{ actorType: 'hosted_link', actorId: null, details: { decision: 'approve' } }]);
  await tenant.api.must(200).delete(`/api/v1/approval-policies/${policyId}`);
});

describe('over MCP and in Code Mode', () => {
  let tools: Server;
  let code: Server;
  beforeAll(async () => {
    tools = await aServer(tenant, 'TOOLS', ['hash-encode', 'datetime']);
    code = await aServer(tenant, 'CODE', []);
    for (const action of ['hash', 'parse_date']) await aPolicy(tenant, { name: action, actionNames: [action], approvers: PEOPLE[0][1] });
  });

  const callTool = async (server: Server, name: string, args: object): Promise<Body> => {
    const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
    const { body } = await callerOf(tenant.apiUrl, server.token).post(new URL(server.endpoint).pathname, request);
    return body.result;
  };

  test('the answer to a tool call has only read-only links, in text, approval and links', async () => {
    const gated = await callTool(tools, 'hash-encode__hash', { text: 'a' });
    const { approval, links } = gated.structuredContent;
    expect(links).toMatchObject([{ url: approval.hostedApprovalUrl, label: expect.stringContaining('only the people') }]);
    expect(gated.content[0].text).toContain(approval.hostedApprovalUrl);
    expect(linksIn(gated)).toEqual([approval.hostedApprovalUrl]);
    await expectShowsOnly(approval.id, approval.hostedApprovalUrl);
  });

  test('the answers about a waiting run have only read-only links, one for each approval', async () => {
    const program = "await svc.hash_encode.hash({ text: 'a' }); return await svc.datetime.parse_date({ dateString: '2026-01-01' });";
    const first = await callTool(code, 'svc_execute', { code: program });
    const { approvals } = first.structuredContent;
    expect(approvals).toHaveLength(2);
    const byRest = await tenant.api
      .must(200)
      .post(`/api/v1/mcp/servers/${code.id}/execute-code`, { approvalId: approvals[0].id, waitForApprovalSeconds: 0 });
    const early = await callTool(code, 'svc_execute', { approvalId: approvals[1].id });
    expect(early.structuredContent.status).toBe('approval_pending');
    const links = linksIn([first, byRest, early]);
    expect(links.sort()).toEqual(approvals.map(({ hostedApprovalUrl }: Body) => hostedApprovalUrl).sort());
    for (const { id, hostedApprovalUrl } of approvals) await expectShowsOnly(id, hostedApprovalUrl);
  });

  test('a key with the decision scope reads a deciding link, and a key without the scope reads no link', async () => {
    const { approval } = await ask();
    const { plainKey } = await tenant.api.must(200).post('/api/v1/api-keys', { name: 'Without' });
    const reader = callerOf(tenant.apiUrl, plainKey);
    for (const path of ['/api/v1/approvals', `/api/v1/approvals/${approval.id}`, '/api/v1/code-runs', '/api/v1/activity'])
      expect(JSON.stringify(await reader.must(200).get(path))).not.toContain('apr_link_v1_');
    const { hostedApprovalUrl } = (await tenant.api.must(200).get(`/api/v1/approvals/${approval.id}`)).approval;
    expect(tokenOf(hostedApprovalUrl)).not.toBe(tokenOf(approval.hostedApprovalUrl));
    expect(await (await fetch(hostedApprovalUrl)).text()).toContain('<form');
    expect((await post(approval.id, tokenOf(hostedApprovalUrl), 'reject')).status).toBe(303);
    expect(await statusOf(approval.id)).toBe('rejected');
  });
});

test('if people and a webhook are approvers, only the webhook gets a deciding link', async () => {
  const approvers = [
    { type: 'org_role', roles: ['owner'] },
    { type: 'webhook', webhookUrl: `${receiver.url}/mixed` },
  ];
  await aPolicy(tenant, { priority: 0, actionNames: ['generate_uuid'], approvers });
  const [one, two] = [
    await ask({ actionName: 'generate_uuid', input: { count: 1 } }),
    await ask({ actionName: 'generate_uuid', input: { count: 2 } }),
  ];
  await receiver.has(2);
  const sent = receiver.received.map(({ body }) => JSON.parse(body).approval);
  const linkFor = ({ approval }: Body) => sent.find(({ id }) => id === approval.id).hostedApprovalUrl as string;
  expect(tokenOf(linkFor(one))).not.toBe(tokenOf(one.approval.hostedApprovalUrl));
  await expectShowsOnly(one.approval.id, one.approval.hostedApprovalUrl);
  expect((await post(one.approval.id, tokenOf(linkFor(two)))).status).toBe(404);
  expect((await post(one.approval.id, tokenOf(linkFor(one)))).status).toBe(303);
  expect(await statusOf(one.approval.id)).toBe('approved');
  expect(await statusOf(two.approval.id)).toBe('pending');
});

test('an approval keeps the approvers that it was created with, even if its policy changes', async () => {
  const { id: policyId } = await aPolicy(tenant, { priority: 0, actionNames: ['encode'], approvers: PEOPLE[0][1] });
  const input = (text: string) => ({ actionName: 'encode', input: { text, encoding: 'base64' } });
  const { approval } = await ask(input('before'));
  await tenant.api.must(200).patch(`/api/v1/approval-policies/${policyId}`, { approvers: [] });
  await expectShowsOnly(approval.id, approval.hostedApprovalUrl);
  const { approval: after } = await ask(input('after'));
  expect((await post(after.id, tokenOf(after.hostedApprovalUrl))).status).toBe(303);
  await tenant.api.must(200).delete(`/api/v1/approval-policies/${policyId}`);
  await expectShowsOnly(approval.id, approval.hostedApprovalUrl);
});

test("without approvers, or with only webhooks as approvers, the caller's link is a deciding link", async () => {
  const webhook = { type: 'webhook', webhookUrl: `${receiver.url}/alone` };
  for (const approvers of [[], [webhook]]) {
    const { id: policyId } = await aPolicy(tenant, { priority: 0, actionNames: ['decode'], approvers });
    const { approval } = await ask({ actionName: 'decode', input: { encoded: randomUUID(), encoding: 'url' } });
    expect((await post(approval.id, tokenOf(approval.hostedApprovalUrl))).status).toBe(303);
    await tenant.api.must(200).delete(`/api/v1/approval-policies/${policyId}`);
  }
});
