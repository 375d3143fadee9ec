import { insertWithinQuota } from '../../../commands/code-runs/insert-within-quota.ts';
import type { Gateway } from '../../../commands/gateway.ts';
import { randomId } from '../../../infra/tokens.ts';
import { insertStartedCodeRun, type NewCodeRun } from '../../../store/code-run-starts.ts';
import { type ApiBed, openApiBed } from '../../api/api-bed.ts';
import { until } from '../../support/until.ts';

let bed: ApiBed;
beforeAll(async () => {
  bed = await openApiBed();
});
afterAll(() => bed?.close());

const aServer = async (): Promise<string> => {
  const body = { name: 'Code', workspaceId: bed.workspaceId, mode: 'CODE', authMode: 'bearer' };
  return (await bed.api.must(201).post('/api/v1/mcp/servers', body)).server.id;
};
const aRunOf = (mcpServerId: string): NewCodeRun => ({
  ...{ id: randomId('crun_'), orgId: bed.orgId, workspaceId: bed.workspaceId, mcpServerId, endUserId: null },
  ...{ requestedByType: 'api_key', requestedById: null, code: 'return 1', codeHash: 'x' },
});
const withQuota = (codeRuns: number | undefined): Gateway => {
  const { config } = bed.gateway;
  return { ...bed.gateway, config: { ...config, quotas: { ...config.quotas, codeRuns } } };
};
const statusesOf = (mcpServerId: string) => bed.patient('code_runs').where({ mcp_server_id: mcpServerId }).pluck('status');

test.each([
  ['without a quota', undefined],
  ['with a quota', 1000],
])('a run is refused and leaves no row if its server is deleted during the start: %s', async (_, quota) => {
  const serverId = await aServer();
  const deleting = await bed.patient.transaction();
  await deleting('mcp_servers').where({ id: serverId }).delete();
  const refused = insertWithinQuota(withQuota(quota), aRunOf(serverId)).catch((error) => error.code);
  await deleting.commit();
  expect([await refused, await statusesOf(serverId)]).toEqual(['NOT_FOUND', []]);
});

test.each([
  ['server', (serverId: string) => `/api/v1/mcp/servers/${serverId}`],
  ['workspace', () => `/api/v1/workspaces/${bed.workspaceId}`],
])('the deletion of a %s cancels a run whose start is in progress', async (_, pathOf) => {
  const serverId = await aServer();
  const starting = await bed.gateway.db.transaction();
  expect(await insertStartedCodeRun(starting, aRunOf(serverId))).toBe(true);
  const deleted = bed.api.delete(pathOf(serverId));
  const waiting = bed.patient('pg_stat_activity').whereRaw('datname = current_database()').where({ wait_event_type: 'Lock' });
  await until(async () => (await waiting.clone()).length > 0);
  await starting.commit();
  expect([(await deleted).status < 300, await statusesOf(serverId)]).toEqual([true, ['canceled']]);
});
