import { aModel, type FakeModel, scored } from '../support/a-model.ts';
import { callerOf } from '../support/caller.ts';
import { aReceiver, type Receiver } from '../support/receiver.ts';
import { type OwnSystem, startSystem } from '../support/system.ts';
import { aPolicy, aServer, aTenant, type Tenant } from '../support/tenant.ts';

let own: OwnSystem;
let model: FakeModel;
let upstream: Receiver;
let tenant: Tenant;
let serverId: string;
beforeAll(async () => {
  [model, upstream] = await Promise.all([aModel(), aReceiver()]);
  own = await startSystem({ env: model.env });
});
afterAll(async () => {
  await own.stop();
  await Promise.all([model.close(), upstream.close()]);
});
beforeEach(async () => {
  tenant = await aTenant(own);
  serverId = (await aServer(tenant, 'CODE', ['http', 'hash-encode'])).id;
  await aPolicy(tenant, { name: 'Risky', riskMode: 'model_assisted', integrationNames: ['http'] });
  for (const { received } of [model, upstream]) received.length = 0;
});

const execute = async (body: object) =>
  (await tenant.api.must(200).post(`/api/v1/mcp/servers/${serverId}/execute-code`, body)).structuredContent;
const approve = (id: string) => tenant.api.must(200).post(`/api/v1/approvals/${id}/approve`);
const approvalOf = async (id: string) => (await tenant.api.must(200).get(`/api/v1/approvals/${id}`)).approval;
const send = (path: string) => `await svc.http.send_request({ method: 'POST', url: '${upstream.url}${path}' });`;
/** The model gives a high score if the address in its request contains /risky. */
const judgeByPath = () => model.say(({ text }) => (text.includes('/risky') ? scored(0.9, 'goes to /risky') : scored(0.1)));

test('a plan is assessed by its known inputs, and the run reuses the assessments', async () => {
  judgeByPath();
  expect(await execute({ code: send('/harmless') })).toMatchObject({ status: 'executed' });
  const paused = await execute({ code: `${send('/harmless')} ${send('/risky')} return 'done'` });
  expect(paused.status).toBe('approval_required');
  expect(await approvalOf(paused.approval.id)).toMatchObject({
    ...{ riskScore: 0.9, riskCategory: 'critical' },
    riskReasons: ['policy "Risky" matches integration http', 'risk model: score 0.90 (critical): the model says "goes to /risky"'],
  });
  expect(upstream.received.map(({ path }) => path)).toEqual(['/harmless']);
  await approve(paused.approval.id);
  model.say(() => scored(0));
  const asked = model.received.length;
  expect(await execute({ approvalId: paused.approval.id })).toMatchObject({ status: 'executed', output: 'done' });
  expect(model.received).toHaveLength(asked);
  expect((await approvalOf(paused.approval.id)).status).toBe('consumed');
  expect(upstream.received.map(({ path }) => path)).toEqual(['/harmless', '/harmless', '/risky']);
});

test('each call that the model lets through has one activity row, even if it is a read', async () => {
  judgeByPath();
  const code = `await svc.http.send_request({ method: 'GET', url: '${upstream.url}/read' }); ${send('/harmless')} ${send('/risky')}`;
  const paused = await execute({ code });
  await approve(paused.approval.id);
  expect(await execute({ approvalId: paused.approval.id })).toMatchObject({ status: 'executed' });
  const { activity } = await tenant.api.must(200).get('/api/v1/activity?type=call.let_through');
  expect(activity).toHaveLength(2);
  for (const row of activity)
    expect(row).toMatchObject({ callId: expect.any(String), codeRunId: expect.stringMatching(/^crun_/), details: { riskScore: 0.1 } });
});

test('a call with an unpredicted input is assessed when it is made, and is held if risky', async () => {
  judgeByPath();
  const code = `const { text } = await svc.hash_encode.decode({ encoded: '${Buffer.from('/risky').toString('base64')}', encoding: 'base64' });
    return (await svc.http.send_request({ method: 'POST', url: '${upstream.url}' + text })).status;`;
  const paused = await execute({ code });
  expect(paused.status).toBe('approval_required');
  expect(await approvalOf(paused.approval.id)).toMatchObject({ riskScore: 0.9, inputPreview: { url: `${upstream.url}/risky` } });
  expect(upstream.received).toEqual([]);
  await approve(paused.approval.id);
  expect(await execute({ approvalId: paused.approval.id })).toMatchObject({ status: 'executed', output: 200 });
  expect(upstream.received).toHaveLength(1);
});

test('if the model does not answer, the run waits for a decision', async () => {
  model.answerWith(() => ({ status: 500 }));
  const paused = await execute({ code: `${send('/away')} return 1` });
  expect((await approvalOf(paused.approval.id)).riskReasons).toContain(
    'risk model: its endpoint answered with status 500, so the call counts as risky',
  );
  await approve(paused.approval.id);
  expect(await execute({ approvalId: paused.approval.id })).toMatchObject({ status: 'executed', output: 1 });
});

test('a search shows that an action may need approval; the model is not asked', async () => {
  const { id, token } = await aServer(tenant, 'CODE', []);
  const search = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'svc_search', arguments: { query: 'request' } } };
  const { body } = await callerOf(own.apiUrl, token).post(`/mcp/srv_${id}`, search);
  const [http] = body.result.structuredContent.integrations.filter(({ alias }: { alias: string }) => alias === 'http');
  expect(http.actions).toMatchObject([{ actionName: 'send_request', approval: true }]);
  expect(model.received).toEqual([]);
});
