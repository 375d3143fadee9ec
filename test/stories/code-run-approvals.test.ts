import { aReceiver, type Receiver } from '../support/receiver.ts';
import { aPolicy, aServer, aTenant, type Tenant } from '../support/tenant.ts';

let tenant: Tenant;
let upstream: Receiver;
let serverId: string;

beforeEach(async () => {
  [tenant, upstream] = await Promise.all([aTenant(), aReceiver()]);
  ({ id: serverId } = await aServer(tenant, 'CODE', ['http', 'hash-encode', 'datetime', 'kv-store']));
});
afterEach(() => upstream.close());

const execute = (body: object) => tenant.api.post(`/api/v1/mcp/servers/${serverId}/execute-code`, body);
const run = async (body: object) => (await execute(body)).body;
const approve = (id: string) => tenant.api.must(200).post(`/api/v1/approvals/${id}/approve`);

test('two policies create two approvals, and the run continues when both are approved', async () => {
  await aPolicy(tenant, { integrationNames: ['http'], name: 'Sending' });
  await aPolicy(tenant, { integrationNames: ['kv-store'], name: 'Keeping' });
  const code = `await svc.kv_store.put({ key: 'k', value: 1 });
    return (await svc.http.send_request({ method: 'POST', url: '${upstream.url}/x' })).status;`;
  const asked = await run({ code });
  const paused = asked.structuredContent;
  expect(paused.approvals).toHaveLength(2);
  expect(paused.approvalGroup).toMatchObject({ total: 2, pending: 2 });
  expect(paused.description).toContain('with any one of these approvalIds and no code');
  const [one, two] = paused.approvals;
  const lines: string[] = asked.content[0].text.split('\n');
  for (const { id, policyName, hostedApprovalUrl } of [one, two]) {
    const line = lines.find((text) => text.includes(`Policy "${policyName}"`));
    for (const part of [id, hostedApprovalUrl]) expect(line).toContain(part);
  }
  await approve(one.id);
  const early = await run({ approvalId: one.id });
  expect(early.structuredContent).toMatchObject({
    ...{ status: 'approval_pending', approval: { id: two.id } },
    approvals: [
      { id: two.id, status: 'pending', policyName: two.policyName },
      { id: one.id, status: 'approved', policyName: one.policyName },
    ],
    approvalGroup: { total: 2, pending: 1, nextApprovalId: two.id },
    description: expect.stringMatching(/^This run needs 2 approvals, and still waits for 1 of them\. /),
  });
  expect(early.content[0].text).toContain(`${one.id}\`, approved already`);
  expect(early.content[0].text).toContain(two.hostedApprovalUrl);
  await approve(two.id);
  expect((await run({ approvalId: one.id })).structuredContent).toMatchObject({ status: 'executed', output: 200 });
  expect((await run({ approvalId: two.id })).structuredContent).toMatchObject({ status: 'executed', output: 200 });
  expect(upstream.received).toHaveLength(1);
});

test('an approval of partly known inputs covers the planned calls, and an unplanned call is held', async () => {
  await aPolicy(tenant, { integrationNames: ['http'] });
  const code = `const path = async (text) => (await svc.hash_encode.decode({ encoded: text, encoding: 'base64' })).text;
    const send = async (alias, url) => (await svc[alias].send_request({ method: 'POST', url })).status;
    const x = await path('eA==');
    const first = (await svc.http.send_request({ method: 'POST', url: '${upstream.url}/a', body: x })).status;
    const second = await send(await path('aHR0cA=='), '${upstream.url}/b');
    const third = (await svc.http.send_request({ method: 'POST', url: '${upstream.url}/c', body: x })).status;
    return [first, second, third];`;
  const asked = (await run({ code })).structuredContent;
  const { approval } = await tenant.api.must(200).get(`/api/v1/approvals/${asked.approval.id}`);
  const knownUrls = approval.inputPreview.predictedTools.flatMap(
    ({ knownInput }: { knownInput?: { url: string } }) => knownInput?.url ?? [],
  );
  expect(knownUrls).toEqual([`${upstream.url}/a`, `${upstream.url}/c`]);
  await approve(asked.approval.id);
  const again = (await run({ approvalId: asked.approval.id })).structuredContent;
  expect(again.status).toBe('approval_required');
  expect(upstream.received.map(({ path }) => path)).toEqual(['/a']);
  await approve(again.approval.id);
  expect((await run({ approvalId: again.approval.id })).structuredContent).toMatchObject({ status: 'executed', output: [200, 200, 200] });
  expect(upstream.received.map(({ path }) => path)).toEqual(['/a', '/b', '/c']);
});

test('the approval of one run does not work for another MCP server or another run', async () => {
  await aPolicy(tenant, { integrationNames: ['http'] });
  const code = `return (await svc.http.send_request({ method: 'POST', url: '${upstream.url}' })).status`;
  const [first, second] = [(await run({ code })).structuredContent, (await run({ code })).structuredContent];
  await approve(first.approval.id);
  expect((await run({ approvalId: second.approval.id })).structuredContent.status).toBe('approval_pending');
  const other = await tenant.api.must(201).post('/api/v1/mcp/servers', { name: 'Other', workspaceId: tenant.workspaceId, mode: 'CODE' });
  const elsewhere = await tenant.api.post(`/api/v1/mcp/servers/${other.server.id}/execute-code`, { approvalId: first.approval.id });
  expect(elsewhere).toMatchObject({ status: 404, body: { code: 'APPROVAL_NOT_FOUND' } });
});

test('an approval covers no call whose preset has changed or that a new policy blocks', async () => {
  await aPolicy(tenant, { integrationNames: ['hash-encode'], actionNames: ['hash'] });
  const code = `const { text } = await svc.hash_encode.decode({ encoded: 'aGFzaA==', encoding: 'base64' });
    return (await svc.hash_encode[text]({ text: 'x' })).algorithm;`;
  const paused = (await run({ code })).structuredContent;
  await approve(paused.approval.id);
  const { tools } = await tenant.api.must(200).get(`/api/v1/mcp/servers/${serverId}`);
  const tool = tools.find(({ actionName }: { actionName: string }) => actionName === 'hash');
  await tenant.api.must(200).patch(`/api/v1/mcp/servers/${serverId}/tools/${tool.id}`, { inputDefaults: { algorithm: 'sha1' } });

  const again = (await run({ approvalId: paused.approval.id })).structuredContent;
  expect(again).toMatchObject({ status: 'approval_required' });
  expect(again.approval.id).not.toBe(paused.approval.id);
  await approve(again.approval.id);
  await aPolicy(tenant, { integrationNames: ['hash-encode'], actionNames: ['hash'], decision: 'block', priority: 1 });
  expect(await run({ approvalId: again.approval.id })).toMatchObject({
    isError: true,
    structuredContent: { status: 'failed', error: { code: 'APPROVAL_POLICY_BLOCKED' } },
  });
});

test('an input with a key that Postgres text cannot store is handled like any other', async () => {
  await aPolicy(tenant, { integrationNames: ['kv-store'], actionNames: ['put'] });
  const paused = (await run({ code: "return (await svc.kv_store.put({ key: 'n', value: { 'x\\u0000token': 'v' } })).stored" }))
    .structuredContent;
  expect(paused.status).toBe('approval_required');
  await approve(paused.approval.id);
  expect((await run({ approvalId: paused.approval.id })).structuredContent).toMatchObject({ status: 'executed', output: true });
});

test('a decision that arrives before the answer of the run is not lost', async () => {
  await aPolicy(tenant, { integrationNames: ['datetime'] });
  let done = false;
  const reviewer = (async () => {
    while (!done) {
      const { approvals } = await tenant.api.must(200).get('/api/v1/approvals?status=pending');
      for (const { id } of approvals) await approve(id);
    }
  })();
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, n) => run({ code: `return svc.datetime.parse_date({ dateString: '2026-01-0${n + 1}' })` })),
  );
  for (const { structuredContent } of answers) {
    const ended =
      structuredContent.status === 'executed'
        ? structuredContent
        : (await run({ approvalId: structuredContent.approval.id, waitForApprovalSeconds: 20 })).structuredContent;
    expect(ended).toMatchObject({ status: 'executed', actionsExecuted: 1 });
  }
  done = true;
  await reviewer;
});
