import { type Answer, aCodeServer, type CodeServer, openBehind } from '../../support/code-runs.ts';
import { aReceiver, type Receiver } from '../../support/receiver.ts';
import { aPolicy, aTenant, type Tenant } from '../../support/tenant.ts';
import { until } from '../../support/until.ts';

let behind: Awaited<ReturnType<typeof openBehind>>;
let tenant: Tenant;
let upstream: Receiver;
let server: CodeServer;

beforeAll(async () => {
  behind = await openBehind();
});
afterAll(() => behind.close());
beforeEach(async () => {
  [tenant, upstream] = await Promise.all([aTenant(), aReceiver()]);
  server = await aCodeServer(tenant, ['http', 'kv-store']);
});
afterEach(() => upstream.close());

type Revision = '2025-06-18' | '2026-07-28';

function call(
  revision: Revision,
  input: object,
  { signal, progressToken, accept }: { signal?: AbortSignal; progressToken?: string; accept?: string } = {},
) {
  const isModern = revision === '2026-07-28';
  const meta = {
    ...(progressToken && { progressToken }),
    ...(isModern && { 'io.modelcontextprotocol/protocolVersion': revision, 'io.modelcontextprotocol/clientCapabilities': {} }),
  };
  const params = { name: 'svc_execute', arguments: input, ...(Object.keys(meta).length > 0 && { _meta: meta }) };
  return fetch(server.endpoint, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${server.token}`,
      'content-type': 'application/json',
      accept: accept ?? 'application/json, text/event-stream',
      'mcp-protocol-version': revision,
      ...(isModern && { 'mcp-method': 'tools/call', 'mcp-name': 'svc_execute' }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params }),
    ...(signal && { signal }),
  });
}

const post = () => `await svc.http.send_request({ method: 'POST', url: '${upstream.url}', timeout: 60 })`;
const runOf = (id: string) => behind.db('code_runs').where({ id }).first('status', 'finished_at');

async function leaveDuring(leave: (signal: AbortSignal) => Promise<unknown>): Promise<string> {
  const going = new AbortController();
  const answer = leave(going.signal);
  await upstream.has(1);
  const id = await server.lastRunId();
  going.abort();
  await expect(answer).rejects.toThrow();
  return id;
}

test('on the newest revision, a closed connection cancels the run in the middle of its code', async () => {
  const id = await leaveDuring((signal) => call('2026-07-28', { code: `${post()}; for (;;);` }, { signal }));
  // The service records the last pass of a canceled run after the pass's process has stopped.
  await until(() => behind.db('code_runs').where({ id, status: 'canceled' }).whereNotNull('last_pass').first());
  const { activity } = await tenant.api.must(200).get('/api/v1/activity?type=code_run.canceled');
  expect(activity).toMatchObject([
    { codeRunId: id, actorType: 'mcp_token', details: { reason: expect.stringContaining('closed the connection') } },
  ]);
});

test('a run continues if a client of an older revision disconnects, a REST client disconnects, or a cancellation arrives', async () => {
  const held = Promise.withResolvers<void>();
  upstream.answerWith(async () => {
    await held.promise;
    return { status: 200 };
  });
  const code = `${post()}; return 1`;
  const older = await leaveDuring((signal) => call('2025-06-18', { code }, { signal }));
  const headers = { authorization: `Bearer ${tenant.plainKey}`, 'content-type': 'application/json' };
  const url = `${tenant.apiUrl}/api/v1/mcp/servers/${server.id}/execute-code`;
  const going = new AbortController();
  const rest = fetch(url, { method: 'POST', headers, body: JSON.stringify({ code }), signal: going.signal });
  await upstream.has(2);
  const overRest = await server.lastRunId();
  going.abort();
  await expect(rest).rejects.toThrow();
  const kept = call('2025-06-18', { code });
  await upstream.has(3);
  const cancelled = await fetch(server.endpoint, {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${server.token}`, accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } }),
  });
  expect(cancelled.status).toBe(202);
  held.resolve();
  expect(((await (await kept).json()) as Answer).result.structuredContent).toMatchObject({ status: 'executed', output: 1 });
  for (const id of [older, overRest]) await until(async () => (await runOf(id)).status === 'executed');
});

test('a client that disconnects while its continuation waits for a decision does not cancel the run', async () => {
  await aPolicy(tenant, { integrationNames: ['kv-store'] });
  const { approval } = await server.run({ code: "return (await svc.kv_store.put({ key: 'k', value: 1 })).stored" });
  const id = await server.lastRunId();
  const going = new AbortController();
  const answer = call('2026-07-28', { approvalId: approval.id, waitForApprovalSeconds: 60 }, { signal: going.signal });
  await until(() => behind.db('code_runs').where({ id }).whereNotNull('awaited_until').first());
  going.abort();
  await expect(answer).rejects.toThrow();
  await server.approve(approval.id);
  expect(await server.run({ approvalId: approval.id, waitForApprovalSeconds: 20 })).toMatchObject({ status: 'executed', output: true });
});

const messagesOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice('data: '.length)));

test('only a client that requests progress and accepts events is notified, every ten seconds', async () => {
  const held = Promise.withResolvers<void>();
  upstream.answerWith(async () => {
    await held.promise;
    return { status: 200 };
  });
  const input = { code: `${post()}; return 1` };
  const streams = await Promise.all([call('2025-06-18', input, { progressToken: 'p' }), call('2026-07-28', input, { progressToken: 'p' })]);
  const plain = [
    call('2025-06-18', input),
    call('2025-06-18', input, { progressToken: 'p', accept: 'application/json' }),
    call('2026-07-28', input),
  ];
  await upstream.has(5);
  held.resolve();
  for (const stream of streams) {
    expect(stream.headers.get('content-type')).toContain('text/event-stream');
    const messages = messagesOf(await stream.text());
    expect(messages).toMatchObject([
      { method: 'notifications/progress', params: { progressToken: 'p', progress: 10 } },
      { id: 7, result: { isError: false, structuredContent: { status: 'executed', output: 1 } } },
    ]);
  }
  for (const answer of await Promise.all(plain)) {
    expect(answer.headers.get('content-type')).toContain('application/json');
    expect(((await answer.json()) as Answer).result.structuredContent).toMatchObject({ status: 'executed' });
  }
});
