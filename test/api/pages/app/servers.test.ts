import { readFileSync } from 'node:fs';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { hostConfigurations } from '../../../../api/pages/app/servers/host-configurations.ts';
import { type ApiBed, openApiBed } from '../../api-bed.ts';
import { type AppMember, aMember } from './app-bed.ts';

let bed: ApiBed;
let admin: AppMember;
beforeAll(async () => {
  bed = await openApiBed();
  admin = await aMember(bed, 'admin');
  const { workspaceId } = bed;
  await bed.api.must(201).post(`/api/v1/workspaces/${workspaceId}/integrations`, { integrationName: 'hash-encode' });
  await bed.api.must(201).post('/api/v1/end-users', { workspaceId, externalId: 'ada', displayName: 'Ada <b>L</b>' });
});
afterAll(() => bed.close());

const DESK = { name: 'Desk', mode: 'TOOLS', authMode: 'oauth', endUserAccess: 'restricted' };
const created = (fields: Record<string, string> = {}) => admin.post('/servers/new', { ...DESK, workspaceId: bed.workspaceId, ...fields });
const idIn = (text: string | null) => /servers\/([0-9a-f-]{36})/.exec(text ?? '')![1]!;
const aServer = async (fields: Record<string, string> = {}) => {
  const { html, location } = await created(fields);
  return idIn(location ?? html);
};
const tokenIn = (html: string) => /value="(mcpo?_[^"]+)"/.exec(html)![1]!;
const endpointIn = (html: string) => /id="endpoint"[^>]*value="([^"]+)"/.exec(html)![1]!;

async function toolsOf(endpoint: string, token: string): Promise<string[]> {
  const client = new Client({ name: 'test', version: '1' });
  const { pathname } = new URL(endpoint);
  const options = { requestInit: { headers: { Authorization: `Bearer ${token}` } } };
  await client.connect(new StreamableHTTPClientTransport(new URL(bed.apiUrl + pathname), options));
  const { tools } = await client.listTools();
  await client.close();
  return tools.map(({ name }) => name);
}

test('an MCP client can connect with the values from a new server’s page', async () => {
  const page = await created({ authMode: 'bearer' });
  expect([page.status, page.text]).toEqual([
    200,
    expect.stringMatching(/Desk is created.*Copy it now.*Add it to a host.*Claude Code.*VS Code/),
  ]);
  const [endpoint, token] = [endpointIn(page.html), tokenIn(page.html)];
  expect(page.html.split(token).length).toBeGreaterThan(5);
  expect(page.headers.get('content-encoding')).toBeNull();
  expect(await toolsOf(endpoint, token)).toContain('hash-encode__hash');
  const shown = await admin.get(`/servers/${idIn(page.html)}`);
  expect(shown.html).not.toContain(token);
  expect(shown.text).toMatch(/hash-encode__hash.*Hash & Encode.*read.*Let through/);
});

test('a person’s token is shown once, and is refused after it is revoked', async () => {
  const id = await aServer({ authMode: 'bearer' });
  const person = /<option value="([^"]+)"[^>]*>Ada/.exec((await admin.get(`/servers/${id}`)).html)![1]!;
  const page = await admin.post(`/servers/${id}/tokens/new`, { person, days: '1' });
  const [endpoint, token] = [endpointIn(page.html), tokenIn(page.html)];
  expect(page.text).toContain('Calls with this token are calls of ada.');
  expect(await toolsOf(endpoint, token)).toContain('hash-encode__hash');

  const { html, text } = await admin.get(`/servers/${id}`);
  expect([html.includes(token), text]).toEqual([false, expect.stringContaining(token.slice(0, 8))]);
  const revoke = /\/app(\/servers\/[^"]+\/tokens\/bearer\/[^"]+\/revoke)"/.exec(html)![1]!;
  expect((await admin.get(revoke)).text).toMatch(/Revoke mcp_.*refuses the agent of ada.*Revoke token.*Keep it/);
  expect((await admin.post(revoke)).status).toBe(303);
  await expect(toolsOf(endpoint, token)).rejects.toThrow();
  expect((await admin.post(revoke)).status).toBe(404);
});

test('a server with only OAuth issues an OAuth token for a person', async () => {
  const id = await aServer();
  expect(tokenIn((await admin.post(`/servers/${id}/tokens/new`, { person: 'ada', days: '30' })).html)).toMatch(/^mcpo_/);
  expect((await admin.get(`/servers/${id}/tokens`)).text).toMatch(/OAuth.*ada.*This service/);
});

test("the server's static token is replaced after a confirmation; the old token is refused", async () => {
  const first = await created({ authMode: 'oauth_and_bearer' });
  const id = idIn(first.html);
  expect((await admin.get(`/servers/${id}/replace-token`)).text).toMatch(/Replace the token of Desk\?.*Tokens of people stay/);
  const second = await admin.post(`/servers/${id}/replace-token`);
  const endpoint = endpointIn(second.html);
  expect(await toolsOf(endpoint, tokenIn(second.html))).toContain('hash-encode__hash');
  await expect(toolsOf(endpoint, tokenIn(first.html))).rejects.toThrow();
});

test('settings can be changed; an empty field clears its value; the form keeps invalid values', async () => {
  const id = await aServer({ description: 'Old', endUserId: 'ada' });
  const changes = { ...DESK, name: 'Front desk', mode: 'CODE', approvalWaitSeconds: '45', approvalElicitation: 'yes' };
  const { location } = await admin.post(`/servers/${id}/settings`, changes);
  expect((await admin.get(location!.replace(/^.*\/app/, ''))).text).toMatch(/Front desk is saved\./);
  expect((await bed.api.must(200).get(`/api/v1/mcp/servers/${id}`)).server).toMatchObject({
    ...{ name: 'Front desk', mode: 'CODE', description: null, endUserId: null },
    settings: { codeMode: { approvalWaitSeconds: 45 }, approvalElicitation: true },
  });
  const wrong = await admin.post(`/servers/${id}/settings`, { ...changes, name: '', endUserId: 'eve', approvalWaitSeconds: '-1' });
  expect([wrong.status, wrong.text]).toEqual([400, expect.stringMatching(/Nothing was saved\..*Name is missing/)]);
  expect(wrong.html).toMatch(/value="eve"/);
  const nobody = await admin.post(`/servers/${id}/settings`, { ...changes, endUserId: 'eve' });
  expect(nobody.text).toMatch(/Only for one person is not the external id of a person in this workspace/);
});

test.each([
  ['no name', { name: '' }, 'Name is missing'],
  ['an unknown workspace', { workspaceId: '00000000-0000-4000-8000-000000000000' }, 'Workspace is not one of your workspaces'],
  ['an unknown mode', { mode: 'MAGIC' }, 'Mode'],
  ['an unknown person', { endUserId: 'eve' }, 'Only for one person is not the external id of a person'],
])('with %s, nothing is created and the form keeps its values', async (_, fields, problem) => {
  const before = (await bed.api.must(200).get('/api/v1/mcp/servers')).total;
  const { status, text, html } = await created({ description: 'Kept', ...fields });
  expect([status, text]).toEqual([400, expect.stringMatching(new RegExp(`Nothing was saved\\..*${problem}`))]);
  expect(html).toContain('value="Kept"');
  expect((await bed.api.must(200).get('/api/v1/mcp/servers')).total).toBe(before);
});

test('a suspended server refuses requests until it is resumed', async () => {
  const page = await created({ authMode: 'bearer' });
  const [id, endpoint, token] = [idIn(page.html), endpointIn(page.html), tokenIn(page.html)];
  expect((await admin.get(`/servers/${id}/suspend`)).text).toMatch(
    /Suspend Desk\?.*None of its tokens was ever used.*Suspend server.*Keep it/,
  );
  await admin.post(`/servers/${id}/suspend`);
  await expect(toolsOf(endpoint, token)).rejects.toThrow();
  expect((await admin.get('/servers')).text).toContain('Suspended');
  expect((await admin.get(`/servers/${id}`)).text).toMatch(/Suspended\. Agents are refused\..*Resume/);
  await admin.post(`/servers/${id}/resume`);
  expect(await toolsOf(endpoint, token)).toContain('hash-encode__hash');
  expect((await admin.get(`/servers/${id}/delete`)).text).toMatch(/Delete Desk\?.*last used on.*Delete server.*Keep it/);
  expect((await admin.post(`/servers/${id}/delete`)).location).toMatch(/\/app\/servers$/);
  expect((await admin.get(`/servers/${id}`)).status).toBe(404);
});

test('servers can be filtered by name and by the workspace in the banner', async () => {
  await created({ name: '100%_sure' });
  expect((await admin.get('/servers?name=%25_SURE')).text).toContain('100%_sure');
  expect((await admin.get('/servers?name=nobody')).text).toContain('Nothing matches these filters.');
  const { workspace } = await bed.api.must(201).post('/api/v1/workspaces', { name: 'Empty', slug: 'empty' });
  expect((await admin.get(`/servers?workspace=${workspace.id}`)).text).not.toContain('100%_sure');
});

test('each tool shows the effect of policies; a disabled policy has no effect', async () => {
  const id = await aServer();
  const fields = { name: 'No digests', integrationNames: ['hash-encode'], actionNames: ['hash'], decision: 'block', riskMode: 'always' };
  const { policy } = await bed.api.must(200).post('/api/v1/approval-policies', fields);
  expect((await admin.get(`/servers/${id}`)).text).toMatch(/hash-encode__hash \S.*? Blocked/);
  await bed.api.must(200).patch(`/api/v1/approval-policies/${policy.id}`, { enabled: false });
  expect((await admin.get(`/servers/${id}`)).text).not.toContain('Blocked');
});

test('a viewer sees a server without forms', async () => {
  const viewer = await aMember(bed, 'viewer');
  const { text } = await viewer.get(`/servers/${await aServer({ authMode: 'oauth_and_bearer' })}`);
  expect(text).toContain('Add it to a host');
  expect(text).not.toMatch(/New token|Save|Suspend|Delete|Replace|Revoke/);
  expect((await viewer.get('/servers')).text).not.toContain('New server');
});

describe('docs/hosts.md contains the configurations of the page', () => {
  const docs = readFileSync('docs/hosts.md', 'utf8');
  const blocks = [...docs.matchAll(/```json\n(.*?)```/gs)].map(([, text]) => JSON.parse(text!));
  const shell = { endpoint: '$ENDPOINT', token: '$MCP_TOKEN' };
  const file = { endpoint: 'http://127.0.0.1:8080/mcp/srv_…', token: 'mcp_…' };

  test.each([shell, { endpoint: shell.endpoint }])('commands %#', (target) => {
    const lines = hostConfigurations(target).flatMap(({ kind, text }) => (kind === 'command' ? text.split('\n') : []));
    expect(lines.filter((line) => !line.startsWith('export ') && !docs.includes(`\`${line}\``))).toEqual([]);
  });

  test('files', () => {
    const files = hostConfigurations(file).filter(({ kind }) => kind === 'configuration');
    expect(blocks).toEqual(expect.arrayContaining(files.map(({ text }) => JSON.parse(text))));
  });
});
