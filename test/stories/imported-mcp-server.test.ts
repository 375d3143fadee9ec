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

const importIt = (name: 'everything' | 'budget') =>
  tenant.api.must(201).post('/api/v1/integrations/import', { kind: 'mcp', name, url: programs[name].url });
const call = (integrationName: string, actionName: string, input: object) =>
  tenant.api.post('/api/v1/actions/execute', { workspaceId: tenant.workspaceId, integrationName, actionName, input });

test('tools of a published MCP server become actions with their schemas and unchanged answers', async () => {
  const { integration, report } = await importIt('everything');
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
});

test.each([
  ['everything', 'get_sum', { a: 2, b: 3 }, { content: [{ type: 'text', text: 'The sum of 2 and 3 is 5.' }] }],
  ['budget', 'get_budget_data', {}, { config: { categories: expect.any(Array) } }],
] as const)('%s is called over REST, TOOLS and CODE, and each call waits for its approval', async (name, action, input, output) => {
  await importIt(name);
  const [tools, code] = [await aServer(tenant, 'TOOLS', [name]), await aCodeServer(tenant, [])];
  await aPolicy(tenant, { integrationNames: [name] });

  expect(await call(name, action, input)).toMatchObject({ status: 202, body: { status: 'approval_required' } });
  await approveOnly();
  expect((await call(name, action, input)).body).toMatchObject({ success: true, output });

  const tool = () => callTool(tools, `${name}__${action}`, input);
  expect(await tool()).toMatchObject({ structuredContent: { status: 'approval_required' } });
  await approveOnly();
  expect(await tool()).toMatchObject({ structuredContent: output });

  const held = await code.run({ code: `return await svc.${name}.${action}(${JSON.stringify(input)});` });
  expect(held).toMatchObject({ status: 'approval_required' });
  await approveOnly();
  expect(await code.run({ approvalId: held.approval.id })).toMatchObject({ status: 'executed', output });
});

async function approveOnly(): Promise<void> {
  const { approvals } = await tenant.api.must(200).get('/api/v1/approvals?status=pending');
  expect(approvals).toHaveLength(1);
  await tenant.api.must(200).post(`/api/v1/approvals/${approvals[0].id}/approve`);
}

async function callTool({ endpoint, token }: { endpoint: string; token: string }, name: string, input: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } });
  const answer = await fetch(endpoint, { method: 'POST', headers, body });
  return ((await answer.json()) as { result: unknown }).result;
}
