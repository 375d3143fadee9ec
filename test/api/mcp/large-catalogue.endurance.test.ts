import { readDeclarations } from '../../../commands/catalogue/read-declarations.ts';
import { publicSchema } from '../../../integrations/public-schema.ts';
import { aSurface } from '../../support/a-surface.ts';
import { estimateTokens } from '../../support/estimate-tokens.ts';
import { addManyTools } from '../../support/many-tools.ts';
import { type ApiBed, openApiBed } from '../api-bed.ts';

let bed: ApiBed;
beforeAll(async () => {
  bed = await openApiBed();
});
afterAll(() => bed.close());

async function aServer(mode: 'CODE' | 'TOOLS', tools: number) {
  const { orgId, workspaceId } = bed;
  const { server, bearerToken } = await bed.api
    .must(201)
    .post('/api/v1/mcp/servers', { name: 'Large', workspaceId, mode, authMode: 'bearer' });
  await addManyTools(bed.patient, { orgId, workspaceId, serverId: server.id }, tools);
  const ask = async (method: string, params?: object): Promise<string> => {
    const headers = { authorization: `Bearer ${bearerToken}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    return (await fetch(`${bed.apiUrl}/mcp/srv_${server.id}`, { method: 'POST', headers, body })).text();
  };
  const call = async (name: string, input: object) => JSON.parse(await ask('tools/call', { name, arguments: input })).result;
  return { ask, call, serverId: server.id };
}

test("a CODE server's tool list has at most 600 tokens for any number of actions", async () => {
  const [few, many, each] = await Promise.all([aServer('CODE', 10), aServer('CODE', 2000), aServer('TOOLS', 100)]);
  const listed = await few.ask('tools/list');
  expect(estimateTokens(listed)).toBeLessThanOrEqual(600);
  expect(await many.ask('tools/list')).toBe(listed);
  expect(estimateTokens(listed)).toBeLessThanOrEqual(0.05 * estimateTokens(await each.ask('tools/list')));
  const { structuredContent: found } = await many.call('svc_search', { query: 'post to a chanel', alias: 'slack_7', limit: 1 });
  expect(found.integrations[0]).toMatchObject({ alias: 'slack-7', connected: false, actions: [{ functionName: 'send_channel_message' }] });
  expect((await many.call('svc_search', { limit: 100 })).structuredContent).toMatchObject({ total: 2000, truncated: true });
});

test('a list of 2,500 tools has pages of at most 1,000, with each tool once', async () => {
  const { ask, serverId } = await aServer('TOOLS', 2500);
  const page = async (cursor?: unknown) => JSON.parse(await ask('tools/list', cursor === undefined ? undefined : { cursor }));
  const pages = [(await page()).result];
  while (pages.at(-1).nextCursor) pages.push((await page(pages.at(-1).nextCursor)).result);
  const names: string[] = pages.flatMap(({ tools }) => tools.map(({ name }: { name: string }) => name));
  // Helper tools come after the tools of the actions.
  const helpers = names.slice(2500);
  expect(helpers).toContainEqual(expect.stringContaining('__list_'));
  expect(pages.map(({ tools }) => tools.length)).toEqual([1000, 1000, 500 + helpers.length]);
  expect(new Set(names).size).toBe(2500 + helpers.length);
  for (const cursor of ['', 'x', names[0], '1000']) expect((await page(cursor)).error).toMatchObject({ code: -32602 });

  const [first] = pages;
  const { tools } = await bed.api.must(200).get(`/api/v1/mcp/servers/${serverId}`);
  const removed = tools.find(
    (tool: { integrationAlias: string; actionName: string }) => first.tools[0].name === `${tool.integrationAlias}__${tool.actionName}`,
  );
  await bed.api.must(200).delete(`/api/v1/mcp/servers/${serverId}/tools/${removed.id}`);
  const { result } = await page(first.nextCursor);
  expect(result.tools.map(({ name }: { name: string }) => name)).toEqual(names.slice(1000, 2000));
  expect((await page()).result.tools).toHaveLength(1000);
});

test('the error for an unknown alias or action among thousands suggests the closest name', async () => {
  const { call } = await aServer('CODE', 2000);
  for (const [input, words] of [
    [{ alias: 'slak_7' }, /no alias "slak_7" here\. Did you mean slack-7\? There are: slack-7, .* more: svc_search finds them/],
    [{ alias: 'slack-7', action: 'sendMessage' }, /no action "sendMessage" in slack-7\. .*Did you mean send_\w+\? There are: /],
  ] as const) {
    const { isError, content } = await call('svc_read_api', input);
    expect([isError, content[0].text]).toEqual([true, expect.stringMatching(words)]);
  }
  const { content } = await call('svc_search', { alias: 'slak_7' });
  expect(content[1].text).toContain('Did you mean slack-7?');
});

test('declarations need at most 60 % of the tokens of JSON Schemas, and signatures fewer', () => {
  const catalog = bed.gateway.catalog.builtIn;
  const surface = aSurface(catalog);
  const schemas = surface.tools.map(({ name, action, inputSchema }) => {
    const { $schema, ...outputSchema } = publicSchema(action.outputSchema);
    return { name, description: action.description, inputSchema: publicSchema(inputSchema), outputSchema };
  });
  const tokensOf = (detail: 'full' | 'signatures') =>
    estimateTokens(readDeclarations(catalog, surface, { aliases: Object.keys(surface.actions), detail }));
  expect(tokensOf('full') / estimateTokens(JSON.stringify(schemas))).toBeLessThanOrEqual(0.6);
  expect(tokensOf('signatures') / tokensOf('full')).toBeLessThanOrEqual(0.6);
});
