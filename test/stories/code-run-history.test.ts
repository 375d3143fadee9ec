import { checkedTenant, withKey } from '../api/checked-caller.ts';
import { textOf } from '../api/pages/page-bed.ts';
import { aReceiver, type Receiver } from '../support/receiver.ts';
import { aPolicy, aServer, type Tenant } from '../support/tenant.ts';
import { until } from '../support/until.ts';

const ENFORCED = 'zq4711-boardroom';
const KEY = 'sk_live_abcdefghijklmnop1234';
const TOKEN = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';

let tenant: Tenant;
let upstream: Receiver;
let server: { id: string };
beforeAll(async () => {
  [tenant, upstream] = await Promise.all([checkedTenant(), aReceiver()]);
  server = await aServer(tenant, 'CODE', ['http', 'kv-store', 'hash-encode']);
  const partial = { workspaceId: tenant.workspaceId, integrationName: 'kv-store', name: 'Where', isDefault: true };
  await tenant.api.must(201).post('/api/v1/partials', { ...partial, values: { key: ENFORCED }, enforcedKeys: ['key'] });
  await aPolicy(tenant, { integrationNames: ['http'], name: 'Sending' });
});
afterAll(() => upstream?.close());

const execute = (body: object) => tenant.api.must(200).post(`/api/v1/mcp/servers/${server.id}/execute-code`, body);
const history = async (id: string) => (await tenant.api.must(200).get(`/api/v1/code-runs/${id}`)).codeRun;
const newest = async (query = '') => (await tenant.api.must(200).get(`/api/v1/code-runs?limit=1${query}`)).codeRuns[0];

/** Only the calls in the loop are gated. */
const codeFor = (url: string) => `// Tells the partner what is kept
const apiKey = '${KEY}';
const before = await svc.kv_store.get({});
await svc.kv_store.put({ value: { note: 'for ' + before.key, api_key: apiKey } });
const urls = ['${url}/a', '${url}/b'];
const sent = [];
for (const url of urls) {
  sent.push(await svc.http.send_request({ method: 'POST', url, headers: { Authorization: 'Bearer ${TOKEN}' } }));
}
console.warn('sent with', apiKey, 'to', before.key);
await svc.hash_encode.hash({ text: 5 }).catch((error) => console.log(error.code));
return { apiKey, before, bodies: sent.map(({ body }) => body), kept: await svc.kv_store.get({}) };`;

test('the history shows each call with its line, and no secrets', async () => {
  upstream.answerWith(() => ({ status: 200, body: JSON.stringify({ echo: `Bearer ${TOKEN}`, room: ENFORCED }) }));
  const { structuredContent } = await execute({ code: codeFor(upstream.url) });
  expect(structuredContent.status).toBe('approval_required');
  const approvalId = structuredContent.approval.id;
  const listed = await newest('&status=waiting');
  const waiting = await history(listed.id);
  expect(waiting).toMatchObject({ status: 'waiting', mcpServerId: server.id, requestedByType: 'api_key', calls: [], outputIs: 'none' });
  expect(waiting.approvals).toMatchObject([
    { id: approvalId, status: 'pending', policyName: 'Sending', callNumber: null, decidedByType: null },
  ]);
  expect(waiting.plan).toMatchObject({
    intentSummary: 'The program describes itself: Tells the partner what is kept',
    approvalRequiredTools: ['http.send_request'],
  });
  expect(waiting.plan.predictedTools.map(({ tool, line }: { tool: string; line: number }) => `${line} ${tool}`)).toContain(
    '3 kv-store.get',
  );

  await tenant.api.must(200).post(`/api/v1/approvals/${approvalId}/approve`, { reason: 'Checked' });
  const done = (await execute({ approvalId, waitForApprovalSeconds: 30 })).structuredContent;
  expect(done.status).toBe('executed');
  const ended = await history(listed.id);
  expect(ended).toMatchObject({ status: 'executed', outputIs: 'shown', logsAre: 'shown', finishedAt: expect.any(String) });
  expect(
    ended.calls.map(({ alias, actionName, line, status }: Record<string, string>) => `${line} ${alias}.${actionName} ${status}`),
  ).toEqual([
    '3 kv-store.get succeeded',
    '4 kv-store.put succeeded',
    '8 http.send_request succeeded',
    '8 http.send_request succeeded',
    '11 hash-encode.hash failed',
    '12 kv-store.get succeeded',
  ]);
  expect(ended.calls).toMatchObject([
    { number: 1, idempotent: true, input: { key: '[redacted]' }, approvalId: null },
    { number: 2, input: { key: '[redacted]', value: { note: 'for [redacted]', api_key: '[redacted]' } } },
    { number: 3, idempotent: false, approvalId, input: { url: `${upstream.url}/a`, headers: { Authorization: '[redacted]' } } },
    { approvalId, durationMs: expect.any(Number) },
    { input: { text: 5 }, error: { code: 'VALIDATION_ERROR', message: expect.stringContaining('input.text') } },
    {},
  ]);
  expect(ended.approvals).toMatchObject([{ id: approvalId, status: 'consumed', decidedByType: 'api_key', decisionReason: 'Checked' }]);
  expect(ended.logs.map(({ level, message }: Record<string, string>) => [level, message])).toEqual([
    ['warn', 'sent with [redacted] to [redacted]'],
    ['log', 'VALIDATION_ERROR'],
  ]);

  const plain = (await (await withKey(tenant, {})).must(200).get(`/api/v1/code-runs/${listed.id}`)).codeRun;
  expect(plain.approvals).toEqual([{ ...ended.approvals[0], approvalUrl: null, codeRunUrl: null }]);
  const page = await fetch(ended.approvals[0].codeRunUrl);
  const html = await page.text();
  expect(page.status).toBe(200);
  for (const told of ['Approved and used', 'Checked']) expect(textOf(html)).toContain(told);
  expect(textOf(html)).not.toMatch(/Ran to its end|http\.send_request|\[redacted\]/);
  for (const secret of [ENFORCED, KEY, TOKEN]) {
    expect(JSON.stringify([waiting, ended])).not.toContain(secret);
    expect(html).not.toContain(secret);
  }
});

test('the reviewer of a program with many calls sees what an approval permits', async () => {
  const others = Array.from({ length: 30 }, (_, n) => `await svc.hash_encode.hash({ text: '${'A'.repeat(2000)}${n}' });`);
  const gated = `await svc.http.send_request({ method: 'POST', url: '${upstream.url}/zq-taken', body_type: 'json', body: { amount: 5 } });`;
  const { structuredContent } = await execute({ code: [...others, gated].join('\n') });
  const { approval } = await tenant.api.must(200).get(`/api/v1/approvals/${structuredContent.approval.id}`);
  expect(approval.inputPreview.impactSummary).toContain('http.send_request, at most once. It changes data. We show what it sends.');
  expect(approval.inputPreview.predictedTools.at(-1)).toMatchObject({
    tool: 'http.send_request',
    line: 31,
    input: { body: { amount: 5 } },
  });
  const page = textOf(await (await fetch(structuredContent.approval.hostedApprovalUrl)).text());
  expect(page).toContain('http.send_request needs approval line 31');
  expect(page.split(`${upstream.url}/zq-taken`).length - 1).toBeGreaterThanOrEqual(2);
  const { plan } = await history(approval.inputPreview.codeRunId);
  expect(plan.predictedTools).toEqual(approval.inputPreview.predictedTools);
});

test('an unplanned gated call gets its own approval, and is made in the second pass', async () => {
  const code = `const { stored } = await
      svc.kv_store.put({ value: 1 });
    return (await svc.http[String(stored).replace('true', 'send_request')]({ method: 'POST', url: '${upstream.url}/middle' })).status;`;
  const { structuredContent } = await execute({ code });
  const { id } = await newest();
  const held = await history(id);
  expect(held.calls).toMatchObject([
    { number: 1, line: 2, status: 'succeeded' },
    { number: 2, line: 3, status: 'gated', outputIs: 'none', durationMs: null, approvalId: structuredContent.approval.id },
  ]);
  expect(held.approvals).toMatchObject([{ callNumber: 2 }]);
  expect(held.plan.analysisConfidence).toBe('dynamic');
  await tenant.api.must(200).post(`/api/v1/approvals/${structuredContent.approval.id}/approve`);
  await execute({ approvalId: structuredContent.approval.id, waitForApprovalSeconds: 30 });
  const { calls, passNumber } = await history(id);
  expect([passNumber, calls.map(({ line, status }: Record<string, unknown>) => `${line} ${status}`)]).toEqual([
    2,
    ['2 succeeded', '3 succeeded'],
  ]);
});

test('a run can be canceled while its code runs, and its waiting caller is told', async () => {
  const answered = execute({
    code: 'await svc.kv_store.put({ value: 2 }); await new Promise((resolve) => setTimeout(resolve, 120_000)); return 1',
  });
  const run = await until(async () => {
    const one = await newest();
    return one?.status === 'running' && (await history(one.id)).calls.length > 0 && one;
  });
  const { codeRun } = await tenant.api.must(200).post(`/api/v1/code-runs/${run.id}/cancel`, { reason: 'Wrong room' });
  expect(codeRun).toMatchObject({ status: 'canceled', calls: [{ status: 'succeeded', line: 1 }] });
  const { structuredContent, isError } = await answered;
  expect([isError, structuredContent.status, structuredContent.error.code]).toEqual([true, 'approval_canceled', 'CODE_RUN_CANCELED']);
  expect(structuredContent.error.message).toContain('Wrong room');
});

test('canceling a waiting run also cancels its pending approvals', async () => {
  const { structuredContent } = await execute({
    code: `return await svc.http.send_request({ method: 'POST', url: '${upstream.url}/never' })`,
  });
  const { id } = await newest('&status=waiting');
  const { codeRun } = await tenant.api.must(200).post(`/api/v1/code-runs/${id}/cancel`);
  expect(codeRun).toMatchObject({ status: 'canceled', approvals: [{ id: structuredContent.approval.id, status: 'canceled' }] });
  expect(upstream.received.filter(({ path }) => path === '/never')).toEqual([]);
});
