import { afterEach, describe, expect, test } from '@jest/globals';
import { openOutbound } from '../../../infra/outbound.ts';
import { openRemoteSessions } from '../../../integrations/custom/mcp/remote-sessions.ts';
import type { RemoteSessions } from '../../../integrations/custom/mcp/sessions.ts';
import { toToolAction } from '../../../integrations/custom/mcp/tool-action.ts';
import type { ActionContext, AuthMethod, AuthValue } from '../../../integrations/definition.ts';
import { bearer } from '../../../integrations/provider-auth.ts';
import { type Arrived, aFakeMcpServer, type FakeMcpServer, type Manner } from '../../support/mcp/fake-mcp-server.ts';
import { until } from '../../support/until.ts';

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

const SECRET = 'the-secret-token-of-the-account';
const METHOD: AuthMethod = { key: 'token', type: 'SECRET_TEXT', displayName: 'Token', description: '' };

async function aServer(manner: Manner): Promise<FakeMcpServer> {
  const server = await aFakeMcpServer(manner);
  open.push(server);
  return server;
}

function aProcess(): RemoteSessions {
  const sessions = openRemoteSessions();
  open.push(sessions);
  return sessions;
}

interface CallOptions {
  sessions?: RemoteSessions;
  owner?: string;
  input?: Record<string, unknown>;
  auth?: AuthValue | null;
  signal?: AbortSignal;
}

async function call({ url }: FakeMcpServer, { sessions = aProcess(), owner = 'me', input = {}, ...more }: CallOptions = {}) {
  const outbound = openOutbound({ allowHttp: true, allowCidrs: ['127.0.0.0/8'] });
  open.push(outbound);
  const { auth = { type: 'SECRET_TEXT', secretText: SECRET }, signal = new AbortController().signal } = more;
  const upstream = { displayName: 'Remote', auth: auth ? [METHOD] : [], authenticate: bearer, baseUrl: url };
  const tool = { name: 'act', displayName: 'Act', description: '', category: 'write' as const, output: {}, source: { tool: 'act it' } };
  const action = toToolAction(upstream, { ...tool, categoryFrom: 'default', tool: { name: 'act it' }, input: { type: 'object' } });
  const context = { input, auth, signal, outbound, now: () => new Date(), remoteTools: () => sessions.of(owner) };
  return action.run(context as Partial<ActionContext> as ActionContext);
}

describe.each(['sessions', 'stateless', 'modern'] as const)('a tool of an MCP server of the kind %s', (manner) => {
  test('is called with the token of the account, and its content is returned unchanged', async () => {
    const server = await aServer(manner);
    const content = [
      { type: 'text', text: 'hello', _meta: { more: true }, unknownKey: 1 },
      { type: 'image', data: 'aGk=', mimeType: 'image/png' },
    ];
    server.onCall = () => ({ content });
    expect(await call(server, { input: { a: [1, { b: null }] } })).toEqual({ content });
    const [arrived] = await server.has('tools/call');
    expect(arrived).toMatchObject({ params: { name: 'act it', arguments: { a: [1, { b: null }] } } });
    expect(server.arrived.every(({ headers }) => headers.authorization === `Bearer ${SECRET}`)).toBe(true);
    server.onCall = () => ({ content: [{ type: 'text', text: '{"sum":3}' }], structuredContent: { sum: 3, unnamed: [true] } });
    expect(await call(server)).toEqual({ sum: 3, unnamed: [true] });
  });

  test('the secrets of the account are redacted in error messages and in answers', async () => {
    const server = await aServer(manner);
    server.onCall = ({ headers }) => ({ isError: true, content: [{ type: 'text', text: `no room for ${headers.authorization}` }] });
    await expect(call(server)).rejects.toMatchObject({
      ...{ code: 'ACTION_FAILED', message: 'no room for Bearer [redacted]', details: { reason: 'tool_error' } },
    });
    server.onCall = ({ headers }) => ({ content: [{ type: 'text', text: `you are ${headers.authorization}` }] });
    expect(await call(server)).toEqual({ content: [{ type: 'text', text: 'you are Bearer [redacted]' }] });
  });

  test('canceling a call also cancels it on the server', async () => {
    const server = await aServer(manner);
    const closed = Promise.withResolvers<void>();
    server.onCall = (_, response) => void response.once('close', () => closed.resolve());
    const stop = new AbortController();
    const calling = call(server, { signal: stop.signal });
    calling.catch(() => {});
    const [arrived] = await server.has('tools/call');
    stop.abort(new Error('too late'));
    await expect(calling).rejects.toMatchObject({ code: 'ACTION_FAILED' });
    if (manner === 'modern') await closed.promise;
    else expect((await server.has('notifications/cancelled'))[0]!.params).toMatchObject({ requestId: arrived!.id });
  });

  test('a call fails if the answer breaks off or cannot be read', async () => {
    const server = await aServer(manner);
    server.onCall = (_, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('event: message\n');
      setImmediate(() => response.destroy());
    };
    await expect(call(server)).rejects.toMatchObject({ code: 'ACTION_FAILED', details: { reason: 'unreachable' } });
    server.onCall = (_, response) => void response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end();
    await expect(call(server)).rejects.toMatchObject({ code: 'ACTION_FAILED', details: { reason: 'unreachable' } });
    server.onCall = (_, response) => void response.writeHead(200, { 'Content-Type': 'text/html' }).end('<p>hello');
    await expect(call(server)).rejects.toMatchObject({ code: 'ACTION_FAILED', details: { reason: 'unexpected_answer' } });
    server.onCall = (_, response) => void response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"jsonrpc":');
    await expect(call(server)).rejects.toMatchObject({ code: 'ACTION_FAILED', details: { reason: 'unexpected_answer' } });
  });

  test('an answer of 5 MB is returned; larger and deeply nested answers are errors', async () => {
    const server = await aServer(manner);
    server.onCall = () => ({ content: [{ type: 'text', text: 'x'.repeat(5_000_000) }] });
    expect(await call(server)).toMatchObject({ content: [{ type: 'text' }] });
    server.onCall = () => ({ content: [{ type: 'text', text: 'x'.repeat(5_300_000) }] });
    await expect(call(server)).rejects.toMatchObject({ code: 'ACTION_FAILED', details: { reason: 'too_large' } });
    server.onCall = () => ({ content: [{ type: 'text', text: 'x'.repeat(30_000_000) }] });
    await expect(call(server)).rejects.toMatchObject({ code: 'ACTION_FAILED', details: { reason: 'too_large' } });
    server.onCall = () => ({ structuredContent: JSON.parse(`${'{"a":'.repeat(100)}1${'}'.repeat(100)}`) });
    const unreadable = expect.stringMatching(/too_deep|unexpected_answer/);
    await expect(call(server)).rejects.toMatchObject({ code: 'ACTION_FAILED', details: { reason: unreadable } });
  });

  test.each([
    [401, { reason: 'unauthorized', status: 401 }],
    [429, { reason: 'rate_limited', retryAfterSeconds: 7 }],
    [503, { status: 503 }],
  ])('a call fails if the server answers with status %d', async (status, details) => {
    const server = await aServer(manner);
    await call(server);
    server.before = (_, response) => {
      response.writeHead(status, { 'Retry-After': '7' }).end(`go away, ${SECRET}`);
      return true;
    };
    const failing = call(server);
    await expect(failing).rejects.toMatchObject({ code: 'ACTION_FAILED', details });
    await failing.catch((error) => expect(String(error)).not.toContain(SECRET));
  });

  test('a call of an unknown tool fails with the error of the protocol', async () => {
    const server = await aServer(manner);
    server.onCall = ({ id }, response) =>
      void response
        .writeHead(200, { 'Content-Type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_602, message: `Unknown tool for ${SECRET}` } }));
    await expect(call(server)).rejects.toMatchObject({
      ...{ code: 'ACTION_FAILED', message: 'Remote refused: Unknown tool for [redacted]', details: { code: '-32602' } },
    });
  });
});

describe('sessions', () => {
  const sessionOf = ({ headers }: Arrived) => headers['mcp-session-id'];

  test('each owner keeps one session, and all sessions end with the process', async () => {
    const server = await aServer('sessions');
    const sessions = aProcess();
    const all = ['me', 'me', 'you'].map((owner) => call(server, { sessions, owner }));
    await Promise.all(all);
    await call(server, { sessions, owner: 'me' });
    const calls = await server.has('tools/call', 4);
    expect(new Set(calls.map(sessionOf)).size).toBe(2);
    const mine = calls.filter((one) => sessionOf(one) === sessionOf(calls.at(-1)!));
    expect(mine.length).toBe(3);
    expect(new Set(mine.map(({ id }) => id)).size).toBe(3);
    expect(server.listeners.size).toBe(0);
    await sessions.close();
    expect(server.sessions.size).toBe(0);
  });

  test('if the server has lost the session, the call is made once in a new session', async () => {
    const server = await aServer('sessions');
    const sessions = aProcess();
    await call(server, { sessions });
    server.sessions.clear();
    let made = 0;
    server.onCall = () => {
      made += 1;
      return { content: [{ type: 'text', text: String(made) }] };
    };
    expect(await call(server, { sessions })).toEqual({ content: [{ type: 'text', text: '1' }] });
    expect(await server.has('initialize')).toHaveLength(2);
  });

  test('a session that was evicted for newer sessions ends after its last call', async () => {
    const server = await aServer('sessions');
    const sessions = aProcess();
    server.onCall = async ({ params }) => {
      if ((params.arguments as { waits?: boolean }).waits) await others.promise;
      return { content: [] };
    };
    const others = Promise.withResolvers<void>();
    const first = call(server, { sessions, owner: 'first', input: { waits: true } });
    const [{ headers }] = (await server.has('tools/call')) as [Arrived];
    for (let owner = 0; owner < 500; owner += 1) await call(server, { sessions, owner: String(owner) });
    others.resolve();
    await expect(first).resolves.toEqual({ content: [] });
    await until(async () => !server.sessions.has(String(headers['mcp-session-id'])));
  });

  test('a server without sessions is asked for its protocol revision only once', async () => {
    const server = await aServer('modern');
    const sessions = aProcess();
    await call(server, { sessions });
    await call(server, { sessions, auth: { type: 'SECRET_TEXT', secretText: 'another-token' } });
    expect(await server.has('server/discover')).toHaveLength(1);
    const calls = await server.has('tools/call', 2);
    expect(calls.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${SECRET}`, 'Bearer another-token']);
  });

  test('a server that was unreachable is asked for its protocol revision again', async () => {
    const server = await aServer('sessions');
    const sessions = aProcess();
    server.before = (_, response) => void response.writeHead(503).end() === undefined;
    await expect(call(server, { sessions })).rejects.toMatchObject({ details: { status: 503 } });
    server.before = () => false;
    expect(await call(server, { sessions, auth: null })).toMatchObject({ content: [{ text: '{}' }] });
    expect((await server.has('tools/call'))[0]!.headers.authorization).toBeUndefined();
  });
});
