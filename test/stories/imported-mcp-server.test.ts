import { aCodeServer } from '../support/code-runs.ts';
import { budgetServer, everythingServer, type McpProgram } from '../support/mcp/mcp-programs.ts';
import { aPolicy, aServer, aTenant, type Tenant } from '../support/tenant.ts';

let programs: { everything: McpProgram; budget: McpProgram };
let tenant: Tenant;
beforeAll(async () => {
  const [everything, budget] = await Promise.all([everythingServer(), budgetServer()]);
  programs = { everything, budget };
});
beforeEach(async () => {
  tenant = await aTenant();
});
afterAll(() => Promise.all(Object.values(programs ?? {}).map((one) => one.close())));

const importIt = (name: string, url: string, more: object = {}) =>
  tenant.api.must(201).post('/api/v1/integrations/import', { kind: 'mcp', name, url, ...more });
const call = (integrationName: string, actionName: string, input: object, more: object = {}) =>
  tenant.api.post('/api/v1/actions/execute', { workspaceId: tenant.workspaceId, integrationName, actionName, input, ...more });

test('a server of the registry is imported, called over REST, TOOLS and CODE, and held by a policy in each', async () => {
  const { integration, report } = await importIt('everything', programs.everything.url);
  expect(integration).toMatchObject({ custom: true, source: { kind: 'mcp', format: expect.stringMatching(/^mcp-20/) } });
  expect(report).toMatchObject({ leftOutCount: 0, typedShare: 1 });
  expect(report.imported).toBeGreaterThanOrEqual(8);
  expect(integration.actions.echo).toMatchObject({
    source: { tool: 'echo' },
    inputSchema: { properties: { message: { type: 'string' } } },
  });

  const direct = await call('everything', 'echo', { message: 'hello' });
  expect(direct.body).toMatchObject({ success: true, output: { content: [{ type: 'text', text: 'Echo: hello' }] } });
  const structured = await call('everything', 'get_structured_content', { location: 'Chicago' });
  expect(structured.body.output).toMatchObject({ temperature: expect.any(Number), conditions: expect.any(String) });

  await aPolicy(tenant, { integrationNames: ['everything'], actionNames: ['get_sum'] });
  const gated = await call('everything', 'get_sum', { a: 2, b: 3 });
  expect(gated).toMatchObject({ status: 202, body: { status: 'approval_required' } });
  const { id, retry } = gated.body.approval;
  await tenant.api.must(200).post(`/api/v1/approvals/${id}/approve`);
  const done = await call('everything', 'get_sum', { a: 2, b: 3 }, { idempotencyKey: retry.idempotencyKey });
  expect(JSON.stringify(done.body.output)).toContain('5');

  const tools = await aServer(tenant, 'TOOLS', ['everything']);
  const ask = async (name: string, input: object) => {
    const headers = { authorization: `Bearer ${tools.token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } });
    const answer = await fetch(tools.endpoint, { method: 'POST', headers, body });
    return ((await answer.json()) as { result: unknown }).result;
  };
  expect(await ask('everything__echo', { message: 'over tools' })).toMatchObject({
    structuredContent: { content: [{ type: 'text', text: 'Echo: over tools' }] },
  });
  expect(await ask('everything__get_sum', { a: 4, b: 5 })).toMatchObject({ structuredContent: { status: 'approval_required' } });
});

test('code calls an imported server, and waits where a policy holds the call', async () => {
  await importIt('budget', programs.budget.url);
  const server = await aCodeServer(tenant, ['budget']);
  const code = 'const { config } = await svc.budget.get_budget_data(); return config.categories.length;';
  const run = await server.run({ code });
  expect(run).toMatchObject({ status: 'executed', output: expect.any(Number) });

  await aPolicy(tenant, { integrationNames: ['budget'] });
  const held = await server.run({ code });
  expect(held).toMatchObject({ status: 'approval_required' });
  await server.approve(held.approval.id);
  expect(await server.run({ approvalId: held.approval.id })).toMatchObject({ status: 'executed', output: run.output });
});
