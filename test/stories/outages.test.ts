import { patientDatabase } from '../support/patient-database.ts';
import { aReceiver } from '../support/receiver.ts';
import { cloneDatabase, type OwnSystem, QUICK_TO_TELL, startSystem, temporalAddress } from '../support/system.ts';
import { aPolicy, aServer, aTenant, type Tenant } from '../support/tenant.ts';
import { until } from '../support/until.ts';
import { aWire, type Wire } from '../support/wire.ts';

let database: { url: string; drop(): Promise<void> };
let own: OwnSystem;
let tenant: Tenant;
let postgres: Wire;
let temporal: Wire;

beforeAll(async () => {
  const [host, port] = (await temporalAddress()).split(':') as [string, string];
  database = await cloneDatabase();
  const url = new URL(database.url);
  [postgres, temporal] = await Promise.all([aWire({ host: url.hostname, port: Number(url.port) }), aWire({ host, port: Number(port) })]);
  url.host = `127.0.0.1:${postgres.port}`;
  own = await startSystem({ env: { ...QUICK_TO_TELL, DATABASE_URL: url.href, TEMPORAL_ADDRESS: `127.0.0.1:${temporal.port}` } });
  tenant = await aTenant({ apiUrl: own.apiUrl, databaseUrl: database.url });
});
afterAll(async () => {
  await own.stop();
  await Promise.all([postgres.close(), temporal.close()]);
  await database.drop();
});

const ready = () => tenant.api.get('/ready');

async function untilReady(): Promise<void> {
  await until(async () => (await ready()).status === 200);
}

test.each(['cut', 'hang'] as const)('while Postgres is unreachable (%s), requests get 503 UNAVAILABLE', async (how) => {
  await untilReady();
  postgres[how]();
  const answers = await Promise.all([tenant.api.get('/api/v1/workspaces'), tenant.api.get('/api/v1/approvals'), ready()]);
  for (const answer of answers) {
    expect(answer).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } });
    expect(answer.headers.get('retry-after')).toBe('1');
  }
  expect((await tenant.api.get('/health')).status).toBe(200);
  postgres.restore();
  await untilReady();
  expect((await tenant.api.get('/api/v1/workspaces')).status).toBe(200);
});

test.each(['cut', 'hang'] as const)(
  'while Temporal is unreachable (%s), code runs fail with a 503, and other requests succeed',
  async (how) => {
    await untilReady();
    const { server } = await tenant.api.must(201).post('/api/v1/mcp/servers', { name: how, workspaceId: tenant.workspaceId, mode: 'CODE' });
    temporal[how]();
    const run = await tenant.api.post(`/api/v1/mcp/servers/${server.id}/execute-code`, { code: 'return 1' });
    expect(run).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } });
    expect(await ready()).toMatchObject({ status: 503, body: { details: { missing: ['temporal'] } } });
    expect((await tenant.api.get('/api/v1/workspaces')).status).toBe(200);
    temporal.restore();
    await untilReady();
    expect(
      (await tenant.api.post(`/api/v1/mcp/servers/${server.id}/execute-code`, { code: 'return 1' })).body.structuredContent,
    ).toMatchObject({ status: 'executed', output: 1 });
  },
);

async function aCodeServer() {
  const upstream = await aReceiver();
  const mine = await aTenant({ apiUrl: own.apiUrl, databaseUrl: database.url });
  const { id, token } = await aServer(mine, 'CODE', ['http', 'hash-encode']);
  await aPolicy(mine, { integrationNames: ['hash-encode'] });
  const execute = (body: object) => mine.api.post(`/api/v1/mcp/servers/${id}/execute-code`, body);
  const callTool = async (input: object) => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'svc_execute', arguments: input } };
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(`${own.apiUrl}/mcp/srv_${id}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: answer.status, body: (await answer.json()) as { result: { isError: boolean; structuredContent: object } } };
  };
  return { api: mine.api, upstream, execute, callTool };
}

test('waiting continuations get UNAVAILABLE in an outage of Postgres, and a later continuation ends the run', async () => {
  await untilReady();
  const { api, upstream, execute, callTool } = await aCodeServer();
  const paused = await execute({ code: "return (await svc.hash_encode.hash({ text: 'x' })).algorithm" });
  const approvalId: string = paused.body.structuredContent.approval.id;
  const waiting = { approvalId, waitForApprovalSeconds: 60 };
  const patient = patientDatabase(database.url);
  const untilAwaited = async () => {
    await until(() => patient('code_runs').whereNotNull('awaited_until').first());
    await patient('code_runs').update({ awaited_until: null });
  };
  const waitingRest = execute(waiting);
  await untilAwaited();
  const waitingMcp = callTool(waiting);
  await untilAwaited();
  postgres.cut();
  const [rest, mcp] = await Promise.all([waitingRest, waitingMcp]);
  expect(rest).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE', error: expect.stringContaining('same approvalId') } });
  expect(rest.headers.get('retry-after')).toBe('1');
  expect(mcp).toMatchObject({
    status: 200,
    body: { result: { isError: true, structuredContent: { status: 'unavailable', error: { code: 'UNAVAILABLE' } } } },
  });
  postgres.restore();
  await untilReady();
  await api.must(200).post(`/api/v1/approvals/${approvalId}/approve`);
  expect((await execute({ approvalId })).body.structuredContent).toMatchObject({ status: 'executed', output: 'sha256' });
  await patient.destroy();
  await upstream.close();
});

describe('an outage of Postgres in the middle of a run', () => {
  /** Cuts Postgres off while the first call of a run is in flight. */
  const cutUnder = async ({ upstream, execute }: Awaited<ReturnType<typeof aCodeServer>>) => {
    const held = Promise.withResolvers<void>();
    upstream.answerWith(async () => {
      await held.promise;
      return { status: 200 };
    });
    const post = `svc.http.send_request({ method: 'POST', url: '${upstream.url}', timeout: 60 })`;
    const answer = execute({ code: `const all = [await ${post}, await ${post}]; return all.map(({ status }) => status)` });
    await upstream.has(1);
    postgres.cut();
    return { answer, release: held.resolve };
  };

  test('a short outage does not reach the caller, and each call is made once', async () => {
    await untilReady();
    const server = await aCodeServer();
    const { answer, release } = await cutUnder(server);
    expect(await ready()).toMatchObject({ status: 503 });
    release();
    postgres.restore();
    expect(await answer).toMatchObject({ status: 200, body: { structuredContent: { status: 'executed', output: [200, 200] } } });
    expect(server.upstream.received).toHaveLength(2);
    await server.upstream.close();
  });

  test('in a longer outage, the caller gets an error with the id of the run, and the run ends later', async () => {
    await untilReady();
    const server = await aCodeServer();
    const { answer, release } = await cutUnder(server);
    const { status, body, headers } = await answer;
    expect({ status, body }).toMatchObject({
      status: 503,
      body: {
        code: 'UNAVAILABLE',
        error: expect.stringContaining('Do not send the code again'),
        details: { codeRunId: expect.any(String) },
      },
    });
    expect(headers.get('retry-after')).toBe('1');
    release();
    postgres.restore();
    await untilReady();
    const { codeRun } = await until(async () => {
      const read = await server.api.must(200).get(`/api/v1/code-runs/${body.details.codeRunId}`);
      return read.codeRun.status === 'executed' && read;
    });
    expect(codeRun).toMatchObject({ status: 'executed' });
    expect(server.upstream.received).toHaveLength(2);
    await server.upstream.close();
  });
});
