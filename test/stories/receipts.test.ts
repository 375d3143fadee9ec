import { Client, Connection } from '@temporalio/client';
import { verifyReceipt } from '../../commands/approvals/verify-receipt.ts';
import { callerOf } from '../support/caller.ts';
import { anOperatorCode } from '../support/operator-codes.ts';
import { system } from '../support/system.ts';
import { aPolicy, aServer, aTenant, type Tenant } from '../support/tenant.ts';

let tenant: Tenant;
beforeEach(async () => {
  tenant = await aTenant();
});

const approve = (id: string) => tenant.api.must(200).post(`/api/v1/approvals/${id}/approve`);

async function verified(approvalId: string, input?: string) {
  const { receipt } = await tenant.api.must(200).get(`/api/v1/approvals/${approvalId}/receipt`);
  const jwks = await callerOf(tenant.apiUrl).must(200).get('/.well-known/jwks.json');
  const given = input === undefined ? undefined : Buffer.from(input);
  return (await verifyReceipt({ jws: receipt.jws, jwks, approvalId, input: given })).claims;
}

test('the receipt of an MCP tool call names the MCP server and matches the input', async () => {
  const server = await aServer(tenant, 'TOOLS', ['hash-encode']);
  await aPolicy(tenant, { actionNames: ['hash'] });
  const answer = await fetch(server.endpoint, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name: 'hash-encode__hash', arguments: { text: 'x' } },
    }),
  });
  expect(answer.status).toBe(200);
  const { approvals } = await tenant.api.must(200).get('/api/v1/approvals');
  await approve(approvals[0].id);
  const claims = await verified(approvals[0].id, JSON.stringify(approvals[0].inputPreview));
  expect(claims).toMatchObject({
    kind: 'call',
    source: 'mcp_tools',
    mcpServerId: server.id,
    actionName: 'hash',
    requestedBy: { type: 'mcp_token', id: expect.any(String) },
    codeRunId: null,
  });
});

test("the receipt of a code run's plan names the tools and matches exactly this program", async () => {
  const server = await aServer(tenant, 'CODE', ['kv-store']);
  const policy = await aPolicy(tenant, { actionNames: ['put', 'delete'] });
  const code = `await svc.kv_store.put({ key: 'a', value: 1 }); await svc.kv_store.put({ key: 'b', value: 2 });
    return svc.kv_store.delete({ key: 'a' });`;
  const { structuredContent } = await tenant.api.must(200).post(`/api/v1/mcp/servers/${server.id}/execute-code`, { code });
  const approvalId = structuredContent.approval.id;
  const { codeRunId, codeHash, toolSurfaceHash } = (await tenant.api.must(200).get(`/api/v1/approvals/${approvalId}`)).approval
    .inputPreview;
  await approve(approvalId);
  const claims = await verified(approvalId, code);
  expect(claims).toMatchObject({
    ...{ kind: 'code_run_plan', source: 'mcp_code', mcpServerId: server.id, policyId: policy.id },
    ...{ codeRunId, codeHash, toolSurfaceHash },
    plannedTools: [
      { alias: 'kv-store', action: 'put', connection: null },
      { alias: 'kv-store', action: 'delete', connection: null },
    ],
  });
  expect(claims).not.toHaveProperty('actionName');
  await expect(verified(approvalId, `${code}\n`)).rejects.toThrow(/this program is not the one that was approved/);
});

test('the receipt of a gated call in a code run names the run and matches the input', async () => {
  const server = await aServer(tenant, 'CODE', ['kv-store', 'hash-encode']);
  await aPolicy(tenant, { actionNames: ['put'] });
  const code = `const { text } = await svc.hash_encode.decode({ encoded: 'cHV0', encoding: 'base64' });
    return svc.kv_store[text]({ key: 'late', value: [1, { a: 'ü' }] });`;
  const path = `/api/v1/mcp/servers/${server.id}/execute-code`;
  const { structuredContent: paused } = await tenant.api.must(200).post(path, { code });
  await approve(paused.approval.id);
  const claims = await verified(paused.approval.id, '{"value":[1,{"a":"ü"}],"key":"late"}');
  const hash = { codeHash: expect.stringMatching(/^[0-9a-f]{64}$/), toolSurfaceHash: expect.stringMatching(/^[0-9a-f]{64}$/) };
  expect(claims).toMatchObject({ kind: 'call', actionName: 'put', codeRunId: expect.stringMatching(/^crun_/), ...hash });
  const done = await tenant.api.must(200).post(path, { approvalId: paused.approval.id, waitForApprovalSeconds: 20 });
  expect(done.structuredContent.status).toBe('executed');
});

test('the receipt of an approval by a Temporal signal says that an operator decided', async () => {
  const { temporalAddress, temporalNamespace } = await system();
  await aPolicy(tenant, { integrationNames: ['datetime'] });
  const call = {
    integrationName: 'datetime',
    actionName: 'parse_date',
    workspaceId: tenant.workspaceId,
    input: { dateString: '2026-01-01' },
  };
  const { approval } = await tenant.api.must(202).post('/api/v1/actions/execute', call);
  const connection = await Connection.connect({ address: temporalAddress });
  const workflow = new Client({ connection, namespace: temporalNamespace }).workflow.getHandle(`approval/${approval.id}`);
  await workflow.signal('approve', { code: await anOperatorCode(approval.id) });
  await workflow.result();
  await connection.close();
  expect(await verified(approval.id)).toMatchObject({ decidedBy: { type: 'operator' } });
});
