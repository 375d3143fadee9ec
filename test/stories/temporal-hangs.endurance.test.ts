import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import type { Db } from '../../infra/database.ts';
import { approvalWorkflowId } from '../../workflows/contract.ts';
import { sampled } from '../support/extent.ts';
import { patientDatabase } from '../support/patient-database.ts';
import { aReceiver, type Receiver } from '../support/receiver.ts';
import { cloneDatabase, type OwnSystem, QUICK_TO_TELL, startSystem, temporalAddress } from '../support/system.ts';
import { aPolicy, aServer, aTenant, type Tenant } from '../support/tenant.ts';
import { until } from '../support/until.ts';
import { aWire, type Wire } from '../support/wire.ts';

let database: { url: string; drop(): Promise<void> };
let own: OwnSystem;
let tenant: Tenant;
let wire: Wire;
let hook: Receiver;
let db: Db;
let temporal: Client;
let server: { id: string };

beforeAll(async () => {
  const address = await temporalAddress();
  const [host, port] = address.split(':') as [string, string];
  [wire, hook, database] = await Promise.all([aWire({ host, port: Number(port) }), aReceiver(), cloneDatabase()]);
  own = await startSystem({ env: { ...QUICK_TO_TELL, TEMPORAL_ADDRESS: `127.0.0.1:${wire.port}`, DATABASE_URL: database.url } });
  tenant = await aTenant({ apiUrl: own.apiUrl, databaseUrl: database.url });
  server = await aServer(tenant, 'CODE', ['datetime']);
  await aPolicy(tenant, { integrationNames: ['hash-encode'], approvers: [{ type: 'webhook', webhookUrl: hook.url }] });
  db = patientDatabase(database.url);
  temporal = new Client({ connection: await Connection.connect({ address }) });
});
afterAll(async () => {
  await own?.stop();
  await Promise.all([wire?.close(), hook?.close(), db?.destroy(), temporal?.connection.close()]);
  await database?.drop();
});

let texts = 0;

async function askAndDecide(count: number): Promise<{ ids: string[]; ms: number }> {
  const startedAt = performance.now();
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const { approval } = await tenant.api.must(202).post('/api/v1/actions/execute', {
      ...{ workspaceId: tenant.workspaceId, integrationName: 'hash-encode', actionName: 'hash' },
      input: { text: `text ${texts++}` },
    });
    await tenant.api.must(200).post(`/api/v1/approvals/${approval.id}/${index % 2 ? 'approve' : 'reject'}`);
    ids.push(approval.id);
  }
  return { ids, ms: performance.now() - startedAt };
}

const ready = () => tenant.api.get('/ready');
const untilReady = () => until(async () => (await ready()).status === 200);
const untilTold = () => until(async () => (await db('outbox').first()) === undefined);
const statusOf = async (id: string) => (await temporal.workflow.getHandle(approvalWorkflowId(id)).describe()).status.name;

function logged(event: string): number {
  const logs = readdirSync(join(own.dataDir, 'logs')).map((file) => readFileSync(join(own.dataDir, 'logs', file), 'utf8'));
  return logs.join('\n').split(event).length - 1;
}

// Without the circuit breaker, each of the two hundred calls to Temporal would wait for its
// timeout. The hundred approvals would then take longer than this test allows.
test.each(sampled(['hang', 'freeze', 'cut'] as const, 1))(
  'while Temporal is unreachable (%s), approvals are decided at normal speed',
  async (how) => {
    await untilReady();
    const healthy = await askAndDecide(25);
    await untilTold();
    const before = hook.received.length;
    const openings = logged('temporal circuit opened');

    wire[how]();
    const away = await askAndDecide(100);
    expect(away.ms).toBeLessThan(3 * 4 * healthy.ms + 2000);
    // Each of the two processes opens its circuit at most once.
    expect([1, 2]).toContain(logged('temporal circuit opened') - openings);
    expect(await ready()).toMatchObject({ status: 503, body: { details: { missing: ['temporal'] } } });
    expect(await db('outbox').whereIn('approval_id', away.ids).first()).toBeDefined();

    const backAt = performance.now();
    wire.restore();
    await untilTold();
    expect(performance.now() - backAt).toBeLessThan(30_000);
    for (const id of away.ids) await until(async () => (await statusOf(id)) === 'COMPLETED');
    // Each approval sends two webhooks: requested and decided.
    await hook.has(before + 200);
    await untilReady();
  },
  300_000,
);

test.each(sampled(['hang', 'drip'] as const, 1))(
  'while Temporal is unreachable (%s), only code runs are refused',
  async (how) => {
    await untilReady();
    const openings = logged('temporal circuit opened');
    wire[how]();
    await until(async () => (await ready()).status === 503);
    const run = await tenant.api.post(`/api/v1/mcp/servers/${server.id}/execute-code`, { code: 'return 1' });
    expect(run).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } });
    expect(run.headers.get('retry-after')).toBe('1');
    const refusedFrom = performance.now();
    for (let round = 0; round < 10; round += 1) {
      expect((await tenant.api.post(`/api/v1/mcp/servers/${server.id}/execute-code`, { code: 'return 1' })).status).toBe(503);
    }
    // Later requests do not wait a second each for a recovery.
    expect(performance.now() - refusedFrom).toBeLessThan(5000);
    expect(await db('code_runs').first()).toBeUndefined();
    const { ids } = await askAndDecide(10);
    expect((await tenant.api.must(200).get(`/api/v1/approvals/${ids[0]}`)).approval.status).toBe('rejected');
    expect([1, 2]).toContain(logged('temporal circuit opened') - openings);
    wire.restore();
    await untilReady();
    await untilTold();
    const again = await tenant.api.must(200).post(`/api/v1/mcp/servers/${server.id}/execute-code`, { code: 'return 1' });
    expect(again.structuredContent).toMatchObject({ status: 'executed', output: 1 });
    await db('code_runs').delete();
  },
  120_000,
);

test('a worker that starts while Temporal hangs works when Temporal has recovered', async () => {
  await untilReady();
  await own.worker.stop();
  wire.hang();
  await until(async () => (await ready()).status === 503);
  const starting = own.worker.start();
  const { ids } = await askAndDecide(1);
  const attempts = logged('temporal not reachable, retrying');
  await until(async () => logged('temporal not reachable, retrying') > attempts);
  wire.restore();
  await starting;
  await until(async () => (await statusOf(ids[0]!).catch(() => undefined)) === 'COMPLETED');
});
