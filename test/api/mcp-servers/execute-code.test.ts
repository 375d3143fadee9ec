import { aServer } from '../../support/tenant.ts';
import { checkedTenant } from '../checked-caller.ts';

async function aCodeServer(integrations: string[] = []) {
  const tenant = await checkedTenant();
  const { id } = await aServer(tenant, 'CODE', integrations);
  return { ...tenant, path: `/api/v1/mcp/servers/${id}/execute-code` };
}

test("code runs, and its answer has the shape of the MCP tool's result", async () => {
  const { api, path } = await aCodeServer(['kv-store']);
  const code =
    'await svc.kv_store.put({ key: "a", value: 1 }); console.log("done"); return (await svc.kv_store.get({ key: "a" })).value + 1;';
  const answer = await api.must(200).post(path, { code });
  expect(answer.isError).toBe(false);
  expect(answer.structuredContent).toMatchObject({
    status: 'executed',
    output: 2,
    actionsExecuted: 2,
    logs: [{ level: 'log', message: 'done' }],
  });
});

test('a run that waits for approval can be continued with only the approval id', async () => {
  const { api, path } = await aCodeServer(['kv-store']);
  await api.must(200).post('/api/v1/approval-policies', { name: 'Ask first', actionNames: ['put'] });
  const { structuredContent: paused } = await api.must(200).post(path, { code: 'return await svc.kv_store.put({ key: "a", value: 1 });' });
  expect(paused.status).toBe('approval_required');
  const approvalId = paused.approval.id;
  expect((await api.must(200).post(path, { approvalId })).structuredContent.status).toBe('approval_pending');
  await api.must(200).post(`/api/v1/approvals/${approvalId}/approve`);
  const finished = await api.must(200).post(path, { approvalId, waitForApprovalSeconds: 10 });
  expect(finished.structuredContent).toMatchObject({ status: 'executed', actionsExecuted: 1 });
  expect(await api.must(200).post(path, { approvalId })).toEqual(finished);
});

test.each([
  ['an empty body', {}],
  ['no body', undefined],
  ['both code and approvalId', { code: 'return 1', approvalId: 'apr_1' }],
  ['empty code', { code: '' }],
  ['code that is not a string', { code: 1 }],
  ['code above 256 kB', { code: `//${'ü'.repeat(131_072)}` }],
  ['a wait of -1', { code: 'return 1', waitForApprovalSeconds: -1 }],
  ['a wait of 61', { code: 'return 1', waitForApprovalSeconds: 61 }],
  ['a wait of 1.5', { approvalId: 'apr_1', waitForApprovalSeconds: 1.5 }],
  ['an unknown field', { code: 'return 1', timeout: 5 }],
  ['a list', []],
])('%s answers INVALID_CODE_EXECUTE_REQUEST', async (_, body) => {
  const { api, path } = await aCodeServer();
  expect(await api.post(path, body)).toMatchObject({
    status: 400,
    body: { code: 'INVALID_CODE_EXECUTE_REQUEST', details: { issues: [expect.any(Object)] } },
  });
});

test('an unknown or malformed approval, or one without a run, is not found', async () => {
  const { api, path, workspaceId } = await aCodeServer();
  await api.must(200).post('/api/v1/approval-policies', { name: 'Ask first' });
  const { approval } = await api
    .must(202)
    .post('/api/v1/actions/execute', { workspaceId, integrationName: 'hash-encode', actionName: 'generate_uuid' });
  for (const approvalId of ['apr_0000000000000000000000', 'nonsense', approval.id]) {
    expect(await api.post(path, { approvalId })).toMatchObject({ status: 404, body: { code: 'APPROVAL_NOT_FOUND' } });
  }
});

test('a server in TOOLS mode is refused', async () => {
  const tenant = await checkedTenant();
  const { id } = await aServer(tenant, 'TOOLS', []);
  expect(await tenant.api.post(`/api/v1/mcp/servers/${id}/execute-code`, { code: 'return 1' })).toMatchObject({
    status: 409,
    body: { code: 'MCP_CODE_MODE_REQUIRED' },
  });
});
