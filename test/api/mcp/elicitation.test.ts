import { type MailBed, openMailBed } from '../actions/mail-bed.ts';
import { elicitingClient } from './eliciting-client.ts';
import { addIntegration, addPolicy, anOrg, aServer } from './mcp-bed.ts';

let bed: MailBed;
beforeAll(async () => {
  bed = await openMailBed();
});
afterAll(() => bed.close());

async function aMailServer() {
  const workspaceId = await bed.enter();
  const make = bed.api.must(201);
  await bed.configure({ connectionStrategy: 'per_user', alias: 'mail' });
  await make.post('/api/v1/end-users', { workspaceId, externalId: 'ada' });
  const fields = { name: 'x', workspaceId, authMode: 'bearer', endUserId: 'ada' };
  const { server, bearerToken } = await make.post('/api/v1/mcp/servers', fields);
  return { url: `${bed.apiUrl}/mcp/srv_${server.id}`, token: bearerToken as string };
}

const SEND = { name: 'mail__send', arguments: { to: 'x' } };
const PORTAL = /\/connect\/portal\?token=eut_/;
const textOf = (result: { content: unknown[] }) => (result.content[0] as { text: string }).text;

test('without URL elicitation, the text and details of CONNECTION_REQUIRED contain the connect link', async () => {
  const client = await elicitingClient(await aMailServer());
  const refused = await client.callTool(SEND);
  const { error } = refused.structuredContent as { error: { code: string; details: { connectUrl: string } } };
  expect([refused.isError, error.code]).toEqual([true, 'CONNECTION_REQUIRED']);
  expect(error.details.connectUrl).toMatch(PORTAL);
  expect(textOf(refused)).toContain(error.details.connectUrl);
});

test('with URL elicitation, the client opens the connect page and the call then continues', async () => {
  const opened: string[] = [];
  const client = await elicitingClient(await aMailServer(), async (url) => {
    opened.push(url);
    await bed.connect('adas', { endUserId: 'ada' });
    return 'accept';
  });
  expect((await client.callTool(SEND)).structuredContent).toMatchObject({ account: 'adas' });
  expect(opened).toEqual([expect.stringMatching(PORTAL)]);
});

test('a person who declines is asked only once; the result then contains the link', async () => {
  let asked = 0;
  const client = await elicitingClient(await aMailServer(), async () => {
    asked++;
    return 'decline';
  });
  expect(textOf(await client.callTool(SEND))).toMatch(PORTAL);
  expect(asked).toBe(1);
});

const FORMAT = { date: '2026-03-05T10:00:00Z', format: 'eu' };
const CALLS = {
  TOOLS: { name: 'datetime__format_date', arguments: FORMAT },
  CODE: { name: 'svc_execute', arguments: { code: `return await svc.datetime.format_date(${JSON.stringify(FORMAT)})` } },
};

async function aGatedServer(mode: 'TOOLS' | 'CODE', settings: object) {
  const org = await anOrg();
  await addIntegration(org, 'datetime');
  await addPolicy(org, { integrationNames: ['datetime'] });
  return { org, server: await aServer(org, mode, { settings }) };
}

test.each([
  ['TOOLS', { formatted: '05/03/2026' }],
  ['CODE', { status: 'executed', output: { formatted: '05/03/2026' } }],
] as const)(
  'with approvalElicitation, a call of a %s server that needs approval opens the approval page and continues',
  async (mode, outcome) => {
    const { org, server } = await aGatedServer(mode, { approvalElicitation: true });
    const opened: string[] = [];
    const client = await elicitingClient(server, async (url) => {
      opened.push(url);
      const { body } = await org.rest('GET', '/approvals?status=pending');
      await org.rest('POST', `/approvals/${body.approvals[0].id}/approve`, {});
      return 'accept';
    });
    expect((await client.callTool(CALLS[mode])).structuredContent).toMatchObject(outcome);
    expect(opened).toEqual([expect.stringContaining('/approve/apr_')]);
  },
);

test('approvalElicitation is off by default: a call that needs approval answers immediately', async () => {
  const { server } = await aGatedServer('TOOLS', {});
  const client = await elicitingClient(server, () => Promise.reject(new Error('was asked')));
  expect((await client.callTool(CALLS.TOOLS)).structuredContent).toMatchObject({ status: 'approval_required' });
});

test("a request state without the service's signature is refused", async () => {
  const { server } = await aGatedServer('TOOLS', {});
  const client = await elicitingClient(server);
  const forged = { ...CALLS.TOOLS, requestState: 'v1.e30.AAAA' };
  await expect(client.callTool(forged as typeof CALLS.TOOLS)).rejects.toMatchObject({ code: -32602 });
});

async function aSlackServer() {
  const org = await anOrg();
  await addIntegration(org, 'slack', { connectionStrategy: 'per_user' });
  await addIntegration(org, 'datetime');
  await org.rest('POST', '/end-users', { workspaceId: org.workspaceId, externalId: 'ada' });
  const server = await aServer(org, 'CODE', { endUserId: 'ada' });
  const runs = async () => (await org.rest('GET', `/code-runs?mcpServerId=${server.id}`)).body.codeRuns.length;
  return { server, runs };
}

const LIST = 'await svc.slack.list_users({});';
const connectDetails = (result: { structuredContent?: unknown }) =>
  (result.structuredContent as { error: { code: string; details: { connectUrl: string; mayRepeat: boolean } } }).error;

test('code without an account ends with the connect link; the code itself cannot read the link', async () => {
  const { server } = await aSlackServer();
  const client = await elicitingClient(server);
  const code = `try { ${LIST} } catch (error) { console.log(JSON.stringify([error.message, error.details ?? null, error.code])); throw error }`;
  const result = await client.callTool({ name: 'svc_execute', arguments: { code } });
  const { code: errorCode, details } = connectDetails(result);
  expect([result.isError, errorCode, details]).toEqual([
    true,
    'CONNECTION_REQUIRED',
    { connectUrl: expect.stringMatching(PORTAL), mayRepeat: true },
  ]);
  expect(textOf(result)).toContain(details.connectUrl);
  const { logs } = result.structuredContent as { logs: { message: string }[] };
  expect(logs[0]!.message).toContain('CONNECTION_REQUIRED');
  expect(JSON.stringify(logs)).not.toContain('eut_');
});

test('with URL elicitation, code without earlier calls opens the connect page once and then runs again', async () => {
  const { server, runs } = await aSlackServer();
  const opened: string[] = [];
  const client = await elicitingClient(server, async (url) => {
    opened.push(url);
    return 'accept';
  });
  const result = await client.callTool({ name: 'svc_execute', arguments: { code: LIST } });
  expect([opened, connectDetails(result).details.connectUrl]).toEqual([[expect.stringMatching(PORTAL)], expect.stringMatching(PORTAL)]);
  expect(await runs()).toBe(2);
});

test('code with an earlier call does not run again: its answer contains the link', async () => {
  const { server, runs } = await aSlackServer();
  const client = await elicitingClient(server, () => Promise.reject(new Error('was asked')));
  const code = `await svc.datetime.format_date(${JSON.stringify(FORMAT)}); ${LIST}`;
  const result = await client.callTool({ name: 'svc_execute', arguments: { code } });
  expect(connectDetails(result).details).toEqual({ connectUrl: expect.stringMatching(PORTAL), mayRepeat: false });
  expect(await runs()).toBe(1);
});
