import { aCodeServer, type CodeServer } from '../../support/code-runs.ts';
import { aReceiver, type Receiver } from '../../support/receiver.ts';
import { aPolicy, aTenant, type Tenant } from '../../support/tenant.ts';

// Specification 4.2, POST /api/v1/mcp/servers/{id}/execute-code.

let tenant: Tenant;
let upstream: Receiver;
let server: CodeServer;
beforeAll(async () => {
  [tenant, upstream] = await Promise.all([aTenant(), aReceiver()]);
  server = await aCodeServer(tenant, ['http', 'kv-store', 'hash-encode']);
  await aPolicy(tenant, { integrationNames: ['http'], name: 'Sending' });
  await aPolicy(tenant, { integrationNames: ['kv-store'], actionNames: ['delete'], name: 'Deleting' });
});
afterAll(() => upstream.close());

const path = () => `/api/v1/mcp/servers/${server.id}/execute-code`;
const invalid = { status: 400, body: { code: 'INVALID_CODE_EXECUTE_REQUEST' } };

test('exactly one of code and approvalId must be sent; waitForApprovalSeconds is 0 to 60', async () => {
  for (const body of [{}, { code: 'return 1', approvalId: 'apr_1' }, { waitForApprovalSeconds: 1 }]) {
    expect(await tenant.api.post(path(), body)).toMatchObject(invalid);
  }
  for (const waitForApprovalSeconds of [-1, 61, 0.5, '1', null]) {
    expect(await tenant.api.post(path(), { code: 'return 1', waitForApprovalSeconds })).toMatchObject(invalid);
  }
  for (const waitForApprovalSeconds of [0, 60]) {
    expect(await server.run({ code: 'return 1', waitForApprovalSeconds })).toMatchObject({ status: 'executed' });
  }
});

test('response: {content: [{type: text, text}], structuredContent, isError}', async () => {
  const answer = await server.execute({ code: 'return { a: [1, "x"] }' });
  expect(Object.keys(answer).sort()).toEqual(['content', 'isError', 'structuredContent']);
  expect(answer.content).toEqual([{ type: 'text', text: '{"a":[1,"x"]}' }]);
});

test('content[0].text contains the logs, and an explanation if there is no output', async () => {
  const textOf = async (code: string) => (await server.execute({ code })).content[0].text;
  expect(await textOf('console.log("a"); return null')).toBe('null\n\nLogs:\n\n```\na\n```');
  expect(await textOf('async () => { svc.hash_encode.hash({ text: "x" }) }')).toMatch(
    /^null \(the program returned nothing: write `return …`.*\)$/,
  );
  const failed = await textOf('console.warn("careful"); await svc.hash_encode.hash({ text: "x" }); throw new Error("no")');
  expect(failed).toMatch(/^CODE_ERROR.*```\nno\n```\n\n1 call has completed and is not undone\.\n\nLogs:\n\n```\nwarn: careful\n```$/s);
});

test('an executed run has status, output, logs, actionsExecuted, durationMs, timings{totalExecuteMs, sandboxMs, browserActionMs, steps[]}', async () => {
  const answer = await server.run({
    code: `console.warn('careful'); await svc.hash_encode.hash({ text: 'x' }); await svc.kv_store.put({ key: 'k', value: 1 }); return 'out'`,
  });
  const ms = expect.any(Number);
  const step = { status: 'succeeded', startedMs: ms, durationMs: ms };
  expect(answer).toEqual({
    ...{ status: 'executed', output: 'out', actionsExecuted: 2, durationMs: ms },
    logs: [{ level: 'warn', message: 'careful', timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) }],
    timings: {
      ...{ totalExecuteMs: ms, sandboxMs: ms, browserActionMs: 0 },
      steps: [
        { integrationAlias: 'hash-encode', actionName: 'hash', ...step },
        { integrationAlias: 'kv-store', actionName: 'put', ...step },
      ],
    },
  });
  expect(answer.durationMs).toBe(answer.timings.totalExecuteMs);
});

test('steps lists every integration action that the code called, failed ones included, in code order', async () => {
  const { timings, actionsExecuted } = await server.run({
    code: `await svc.hash_encode.decode({ encoded: '%%', encoding: 'url' }).catch(() => {}); return (await svc.hash_encode.hash({ text: 'x' })).digest`,
  });
  expect(timings.steps).toMatchObject([
    { actionName: 'decode', status: 'failed' },
    { actionName: 'hash', status: 'succeeded' },
  ]);
  expect(actionsExecuted).toBe(2);
});

test('a run that a Human Gate pauses returns every specified field and a Markdown fallback', async () => {
  const answer = await server.execute({ code: `return svc.http.send_request({ method: 'POST', url: '${upstream.url}' })` });
  const { approval } = answer.structuredContent;
  expect(answer).toEqual({
    isError: false,
    content: [{ type: 'text', text: expect.any(String) }],
    structuredContent: {
      ...{ status: 'approval_required', view: 'approval_required', title: 'Approval required' },
      description: expect.stringMatching(/waits until a person decides about http\.send_request.*svc_execute.*approvalId/),
      approval: {
        id: expect.stringMatching(/^apr_/),
        approvalUrl: expect.stringContaining(approval.id),
        hostedApprovalUrl: expect.stringContaining(approval.id),
        expiresAt: expect.stringMatching(/Z$/),
      },
      links: [{ kind: 'approval', label: expect.any(String), url: approval.hostedApprovalUrl, primary: true }],
      continuation: { tool: 'svc_execute', arguments: { approvalId: approval.id } },
    },
  });
  const [{ text }] = answer.content;
  expect(text).toMatch(/^\*\*Approval required\*\*\n\n/);
  for (const part of [`](${approval.hostedApprovalUrl})`, approval.id, approval.expiresAt, `{"approvalId":"${approval.id}"}`])
    expect(text).toContain(part);
});

test('a run that matches several policies returns approvals and an approvalGroup summary', async () => {
  const answer = await server.execute({
    code: `await svc.kv_store.delete({ key: 'k' }); return svc.http.send_request({ method: 'POST', url: '${upstream.url}' })`,
  });
  const { approvals, approvalGroup, approval } = answer.structuredContent;
  expect(approvals.map(({ policyName, status }: { policyName: string; status: string }) => [policyName, status]).sort()).toEqual([
    ['Deleting', 'pending'],
    ['Sending', 'pending'],
  ]);
  for (const one of approvals) {
    expect(Object.keys(one).sort()).toEqual([
      ...['actionName', 'approvalUrl', 'expiresAt', 'hostedApprovalUrl', 'id', 'integrationAlias', 'policyId', 'policyName', 'status'],
    ]);
    expect(answer.content[0].text).toContain(one.hostedApprovalUrl);
  }
  expect(approvalGroup).toEqual({ codeRunId: expect.stringMatching(/^crun_/), total: 2, pending: 2, nextApprovalId: approvals[0].id });
  expect(approval.id).toBe(approvals[0].id);
});

test.each([
  ['unknown keys', "await svc.hash_encode.hash({ text: 'x', txet: 1 })", /unknown key "txet"/],
  ['missing keys', 'await svc.hash_encode.hash({})', /missing key "text"/],
  ['allowed enum values', "await svc.hash_encode.hash({ text: 'x', algorithm: 'rot13' })", /sha256.*sha384.*sha512/],
])('input that fails validation inside the run returns isError true and a message that names %s', async (_what, code, words) => {
  const answer = await server.execute({ code });
  expect(answer).toMatchObject({ isError: true, structuredContent: { status: 'failed', error: { code: 'VALIDATION_ERROR', line: 1 } } });
  expect(answer.content[0].text).toMatch(words);
  expect(answer.structuredContent.error.message).toMatch(words);
});

test('an approval of another server is 404 APPROVAL_NOT_FOUND, an unknown server 404 NOT_FOUND', async () => {
  const { approval } = await server.run({ code: `return svc.http.send_request({ method: 'POST', url: '${upstream.url}' })` });
  const other = await aCodeServer(tenant, []);
  expect(await tenant.api.post(`/api/v1/mcp/servers/${other.id}/execute-code`, { approvalId: approval.id })).toMatchObject({
    status: 404,
    body: { code: 'APPROVAL_NOT_FOUND' },
  });
  const nobody = '/api/v1/mcp/servers/00000000-0000-4000-8000-000000000000/execute-code';
  expect(await tenant.api.post(nobody, { code: 'return 1' })).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
});
