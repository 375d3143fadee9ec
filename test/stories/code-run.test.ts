import { Client, Connection } from '@temporalio/client';
import { aReceiver, type Receiver } from '../support/receiver.ts';
import { system } from '../support/system.ts';
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

test('the answer of an ungated run has output, logs, steps and timings', async () => {
  const answer = await run({
    code: `const [a, b] = await Promise.all([svc.hash_encode.hash({ text: 'x' }), svc.datetime.parse_date({ dateString: '2026-01-02' })]);
           console.warn('done', b.year);
           return { digest: a.digest, year: b.year };`,
  });
  expect(answer).toMatchObject({
    isError: false,
    content: [{ type: 'text' }],
    structuredContent: {
      status: 'executed',
      output: { digest: '2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881', year: 2026 },
      logs: [{ level: 'warn', message: 'done 2026', timestamp: expect.any(String) }],
      actionsExecuted: 2,
      durationMs: expect.any(Number),
      timings: { totalExecuteMs: expect.any(Number), sandboxMs: expect.any(Number), browserActionMs: 0 },
    },
  });
  expect(answer.structuredContent.timings.steps).toHaveLength(2);
});

test('a predicted gated call pauses the run before the code starts, and the approved run executes once', async () => {
  await aPolicy(tenant, { integrationNames: ['http'], name: 'Sending' });
  const code = `// Report the hash to the partner
    const { digest } = await svc.hash_encode.hash({ text: 'x' });
    const sent = await svc.http.send_request({ method: 'POST', url: '${upstream.url}/report', body_type: 'json', body: { digest } });
    return sent.status;`;
  const paused = (await run({ code })).structuredContent;
  expect(paused).toMatchObject({
    status: 'approval_required',
    view: 'approval_required',
    approval: { id: expect.stringMatching(/^apr_/), hostedApprovalUrl: expect.stringContaining('/approve/apr_') },
    links: [{ primary: true }],
    continuation: { tool: 'svc_execute' },
  });
  const approvalId = paused.continuation.arguments.approvalId;
  const { approval } = await tenant.api.must(200).get(`/api/v1/approvals/${approvalId}`);
  expect(approval.inputPreview).toMatchObject({
    type: 'mcp_code_batch_run',
    codeRunId: expect.stringMatching(/^crun_/),
    intentSummary: expect.stringContaining('Report the hash to the partner'),
    approvalRequiredTools: ['http.send_request'],
    analysisConfidence: 'partial',
  });

  expect((await run({ approvalId })).structuredContent).toMatchObject({ status: 'approval_pending', approval: { id: approvalId } });
  expect(upstream.received).toHaveLength(0);
  await approve(approvalId);
  const done = await run({ approvalId });
  expect(done).toMatchObject({ isError: false, structuredContent: { status: 'executed', output: 200, actionsExecuted: 2 } });
  expect(await run({ approvalId })).toEqual(done);
  expect(upstream.received).toHaveLength(1);
});

test('after a gate in the middle of a run, no earlier call is repeated', async () => {
  await aPolicy(tenant, { integrationNames: ['kv-store'], actionNames: ['delete'], name: 'Deleting' });
  const code = `
    const first = await svc.http.send_request({ method: 'POST', url: '${upstream.url}/a' });
    const { text } = await svc.hash_encode.decode({ encoded: 'ZGVsZXRl', encoding: 'base64' });
    const gone = await svc.kv_store[text]({ key: 'k' });
    const last = await svc.http.send_request({ method: 'POST', url: '${upstream.url}/b' });
    return [first.status, gone.deleted, last.status, Math.random(), Date.now() > 0];`;
  const paused = (await run({ code })).structuredContent;
  expect(paused.status).toBe('approval_required');
  expect(upstream.received.map(({ path }) => path)).toEqual(['/a']);
  await approve(paused.approval.id);
  const done = (await run({ approvalId: paused.approval.id })).structuredContent;
  expect(done).toMatchObject({ status: 'executed', actionsExecuted: 4 });
  expect(upstream.received.map(({ path }) => path)).toEqual(['/a', '/b']);
});

test.each([
  ['reject', 'approval_rejected'],
  ['cancel', 'approval_canceled'],
])("%s ends the run with the reviewer's reason, and no call runs", async (decision, status) => {
  await aPolicy(tenant, { integrationNames: ['http'] });
  const paused = (await run({ code: `return svc.http.send_request({ method: 'POST', url: '${upstream.url}' })` })).structuredContent;
  await tenant.api.must(200).post(`/api/v1/approvals/${paused.approval.id}/${decision}`, { reason: 'not today' });
  const ended = await run({ approvalId: paused.approval.id });
  expect(ended).toMatchObject({ isError: true, structuredContent: { status, error: { message: expect.stringContaining('not today') } } });
  expect(upstream.received).toHaveLength(0);
});

test('a waiting continuation is answered as soon as the decision is made', async () => {
  await aPolicy(tenant, { integrationNames: ['http'] });
  const paused = (await run({ code: `return (await svc.http.send_request({ method: 'POST', url: '${upstream.url}' })).status` }))
    .structuredContent;
  const waiting = run({ approvalId: paused.approval.id, waitForApprovalSeconds: 25 });
  await approve(paused.approval.id);
  expect((await waiting).structuredContent).toMatchObject({ status: 'executed', output: 200 });
});

test('after the answer "pending", a run continues only when its caller continues the run', async () => {
  await aPolicy(tenant, { integrationNames: ['http'] });
  const paused = (await run({ code: `return (await svc.http.send_request({ method: 'POST', url: '${upstream.url}' })).status` }))
    .structuredContent;
  const { id } = paused.approval;
  expect((await run({ approvalId: id, waitForApprovalSeconds: 1 })).structuredContent.status).toBe('approval_pending');
  await approve(id);
  const { temporalAddress: address, temporalNamespace: namespace } = await system();
  const connection = await Connection.connect({ address });
  const workflow = new Client({ connection, namespace }).workflow.getHandle(`code-run/${await codeRunOf(id)}`);
  for (let details = ''; !details.startsWith('Approved. Waits '); )
    details = (await workflow.query<{ currentDetails: string }>('__temporal_workflow_metadata')).currentDetails;
  await connection.close();
  expect(upstream.received).toHaveLength(0);
  expect((await run({ approvalId: id })).structuredContent).toMatchObject({ status: 'executed', output: 200 });
});

const codeRunOf = async (id: string) =>
  (await tenant.api.must(200).get(`/api/v1/approvals/${id}`)).approval.inputPreview.codeRunId as string;

test('deleting the workspace stops a run', async () => {
  upstream.answerWith(async () => {
    if (upstream.received.length === 3) await tenant.api.must(200).delete(`/api/v1/workspaces/${tenant.workspaceId}`);
    return { status: 200 };
  });
  const code = `for (let i = 0; i < 12; i += 1) await svc.http.send_request({ method: 'POST', url: '${upstream.url}' }); return 'all'`;
  const ended = await run({ code });
  expect(ended).toMatchObject({ isError: true, structuredContent: { status: 'approval_canceled', error: { code: 'CODE_RUN_CANCELED' } } });
  expect(upstream.received).toHaveLength(3);
});

test('an error in the code is a result with a position, and the request succeeds', async () => {
  expect(await run({ code: 'const a = 1;\n  return a +* 2' })).toMatchObject({
    isError: true,
    structuredContent: { status: 'failed', error: { code: 'CODE_SYNTAX_ERROR', line: 2 } },
  });
  const details = `let issues;
    try { await svc.http.send_request({ method: 'PUSH', url: '${upstream.url}', bodi: 1 }) } catch (e) { ({ issues } = e.details) }
    await new Promise((done) => setTimeout(done, 1));
    return issues.map(({ path, message }) => path + ' ' + message).sort()`;
  const told: string[] = (await run({ code: details })).structuredContent.output;
  expect(told).toEqual([expect.stringMatching(/bodi/), expect.stringMatching(/^input\.method .*"GET".*"POST"/)]);
  expect(upstream.received).toHaveLength(0);
  expect(await run({ code: 'return svc.datetime.parse_date({ dateStrin: 1 })' })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/dateString.*dateStrin/s) }],
    structuredContent: { status: 'failed', error: { code: 'VALIDATION_ERROR', line: 1 }, actionsExecuted: 1 },
  });
  expect((await run({ code: 'await svc.datetime.parse_date("today")' })).content[0].text).toContain('such as { name: value }');
  expect(
    (await run({ code: 'try { await svc.http.send_request({ method: "GET", url: "http://10.0.0.1/" }) } catch (e) { return e.code }' }))
      .structuredContent.output,
  ).toBe('ACTION_FAILED');
});
