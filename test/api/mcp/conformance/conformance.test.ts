import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openOrgCatalog } from '../../../../commands/integrations/org-catalog.ts';
import { openSurfaceCache } from '../../../../commands/surfaces/surface-cache.ts';
import { INTEGRATIONS, openCatalog } from '../../../../integrations/catalog.ts';
import { type ApiBed, openApiBed } from '../../api-bed.ts';
import { type FixtureProxy, openFixtureProxy } from './fixture-proxy.ts';
import { ALIAS, fixturesWith } from './fixtures.ts';
import { hurryProgress } from './hurried-progress.ts';
import { runSuite } from './run-suite.ts';

let bed: ApiBed;
let proxy: FixtureProxy;
let results: string;
const progress = hurryProgress();

beforeAll(async () => {
  bed = await openApiBed({ RATE_LIMIT_PER_SECOND: '0' });
  const catalog = openOrgCatalog(bed.gateway.db, openCatalog([...INTEGRATIONS, fixturesWith(() => progress.after(3))]));
  Object.assign(bed.gateway, { catalog, surfaces: openSurfaceCache(bed.gateway.db, catalog, bed.gateway.setups) });
  const make = bed.api.must(201);
  await make.post(`/api/v1/workspaces/${bed.workspaceId}/integrations`, { integrationName: ALIAS });
  const { server, bearerToken } = await make.post('/api/v1/mcp/servers', {
    name: 'Conformance',
    workspaceId: bed.workspaceId,
    authMode: 'bearer',
  });
  proxy = await openFixtureProxy({ url: `${bed.apiUrl}/mcp/srv_${server.id}`, token: bearerToken });
  // As behind a proxy, the service is configured with the address that clients use.
  bed.gateway.config.platformUrl = new URL(proxy.url).origin;
  results = await mkdtemp(join(tmpdir(), 'conformance-'));
});
afterAll(async () => {
  progress.restore();
  proxy?.close();
  await bed?.close();
  if (results) await rm(results, { recursive: true });
});

const BASELINE = join(import.meta.dirname, 'baseline.yaml');

test.each([
  ['2025-03-26', 'server-session-lifecycle'],
  ['2025-06-18', 'tools-call-error'],
  ['2025-11-25', 'json-schema-2020-12'],
  ['2026-07-28', 'server-stateless'],
])('revision %s: every server scenario of the conformance suite passes, except those in the baseline', async (revision, scenario) => {
  const about = ['--suite', 'all', '--spec-version', revision, '--timeout', '60000'];
  const args = ['server', '--url', proxy.url, ...about, '--expected-failures', BASELINE, '--output-dir', results];
  let run = await runSuite(args);
  // Some checks of the suite wait for only half a second. A busy machine can need more.
  for (let again = 0; again < 4 && run.code !== 0; again++) run = await runSuite(args);
  expect(run.output.slice(run.output.indexOf('=== SUMMARY ==='))).toContain('Baseline check passed');
  expect(run).toMatchObject({ code: 0, output: expect.stringContaining(scenario) });
});
