import { cloneDatabase, type OwnSystem, startSystem, temporalAddress } from '../support/system.ts';
import { aTenant, type Tenant } from '../support/tenant.ts';
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
  own = await startSystem({ env: { DATABASE_URL: url.href, TEMPORAL_ADDRESS: `127.0.0.1:${temporal.port}` } });
  tenant = await aTenant({ apiUrl: own.apiUrl, databaseUrl: database.url });
}, 60_000);
afterAll(async () => {
  await own.stop();
  await Promise.all([postgres.close(), temporal.close()]);
  await database.drop();
});

const ready = () => tenant.api.get('/ready');

async function untilReady(): Promise<void> {
  while ((await ready()).status !== 200) await new Promise((resolve) => setTimeout(resolve, 100));
}

test.each(['cut', 'hang'] as const)('while Postgres is away (%s): 503 UNAVAILABLE, soon, and recovery without a restart', async (how) => {
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
  'while Temporal is away (%s): code runs answer 503 and leave nothing behind; the rest works',
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
