import { openRefreshSchedule } from '../../../../commands/integrations/refresh-schedule.ts';
import { openServerWatches } from '../../../../commands/integrations/watch-servers.ts';
import type { Caller } from '../../../support/caller.ts';
import { aFakeMcpServer, type FakeMcpServer } from '../../../support/mcp/fake-mcp-server.ts';
import { newOrg } from '../../../support/new-org.ts';
import { until } from '../../../support/until.ts';
import { checkedCaller } from '../../checked-caller.ts';
import { I, type OwnBed, openOwnBed, tasksAt } from './own-bed.ts';

const TOOL = { name: 'look', description: 'Looks', inputSchema: { type: 'object', properties: {} } };

let bed: OwnBed;
let other: Caller;
let [flooding, single]: FakeMcpServer[] = [];
beforeEach(async () => {
  bed = await openOwnBed();
  other = checkedCaller(bed.apiUrl, (await newOrg(bed.gateway.config.databaseUrl!, 'Other')).plainKey);
  [flooding, single] = await Promise.all([aFakeMcpServer('sessions', [TOOL]), aFakeMcpServer('sessions', [TOOL])]);
});
afterEach(() => Promise.all([bed.close(), flooding!.close(), single!.close()]));

function hang(server: FakeMcpServer) {
  let count = 0;
  server.before = () => {
    count += 1;
    return new Promise<boolean>(() => {});
  };
  return (wanted: number) => until(() => count >= wanted);
}

const importServer = (api: Caller, name: string, { url }: FakeMcpServer, more: object = {}) =>
  api.must(201).post(`${I}/import`, { kind: 'mcp', name, url, refreshEverySeconds: 0, ...more });

/** Copies an integration. The ids of the copies sort before all other ids. */
async function multiply(name: string, count: number): Promise<void> {
  await bed.patient.raw(
    `insert into custom_integrations (id, org_id, name, kind, head, settings, refresh_every_seconds, on_change, source, report, checked_at)
     select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, org_id, name || '-' || n, kind, head, settings,
            refresh_every_seconds, on_change, source, report, checked_at
     from custom_integrations, generate_series(1, ?) as n where name = ?`,
    [count, name],
  );
}

const makeDue = (at: Date, ...names: string[]) => bed.patient('custom_integrations').whereIn('name', names).update({ checked_at: at });

test('imports of MCP servers that do not answer do not delay the imports of another organization', async () => {
  const isHanging = hang(flooding!);
  const body = (index: number) => ({ kind: 'mcp', name: `hanging-${index}`, url: flooding!.url });
  const sent = Array.from({ length: 12 }, (_, index) => bed.api.post(`${I}/import`, body(index)));
  const refused = await Promise.race(sent);
  expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
  expect(refused.headers.get('retry-after')).toBe('60');
  await isHanging(2);
  await importServer(other, 'single', single!);
  await flooding!.close();
  const codes = (await Promise.all(sent)).map((answer) => answer.body.code);
  expect(new Set(codes)).toEqual(new Set(['RATE_LIMITED', 'FETCH_FAILED']));
});

test('slow imports of documents do not delay the imports of another organization', async () => {
  const { outbound } = bed.gateway;
  let held = 0;
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const checkDestination = async (url: string) => {
    if (new URL(url).hostname === 'slow.example') {
      held += 1;
      return released;
    }
    return outbound.checkDestination(url);
  };
  bed.gateway.outbound = { ...outbound, checkDestination } as typeof outbound;
  const openapi = (url: string) => ({
    ...{ openapi: '3.1.0', info: { title: 'T', version: '1' }, servers: [{ url }] },
    paths: { '/a': { get: { operationId: 'a', responses: { 200: { description: 'ok' } } } } },
  });
  const sent = Array.from({ length: 6 }, (_, index) =>
    bed.api.post(`${I}/import`, { kind: 'openapi', name: `slow-${index}`, document: openapi('https://slow.example') }),
  );
  await until(() => held > 0);
  await other.must(201).post(`${I}/import`, { kind: 'openapi', name: 'single', document: openapi(bed.thirdParty.url) });
  await other.must(201).post(`${I}/import`, { kind: 'declarative', name: 'another', document: tasksAt(bed.thirdParty.url) });
  release();
  expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(sent.map(() => 201));
});

test('scheduled refreshes that hang do not delay the refreshes of another organization', async () => {
  await importServer(bed.api, 'flood', flooding!, { refreshEverySeconds: 60 });
  await importServer(other, 'single', single!, { refreshEverySeconds: 60 });
  await multiply('flood', 150);
  const isHanging = hang(flooding!);
  const everything = Array.from({ length: 150 }, (_, index) => `flood-${index + 1}`);
  await makeDue(new Date(0), ...everything);
  const schedule = openRefreshSchedule(bed.gateway);
  await schedule.turn();
  await isHanging(1);

  // The other organization's integration is due too, but all others have waited longer.
  single!.tools[0] = { ...TOOL, description: 'Looks and takes' };
  await makeDue(new Date(Date.now() - 3_600_000), 'single');
  await schedule.turn();
  const { changes } = await until(async () => {
    const found = await other.must(200).get(`${I}/single/changes?status=pending`);
    return found.changes.length > 0 && found;
  });
  expect(changes).toMatchObject([{ kind: 'action_changed', detectedBy: 'schedule' }]);
  const closed = schedule.close();
  await flooding!.close();
  await closed;
});

test('an organization with more MCP servers than a process can watch does not displace another organization', async () => {
  await importServer(bed.api, 'flood', flooding!);
  await importServer(other, 'single', single!);
  await multiply('flood', 150);
  const isHanging = hang(flooding!);
  const watches = openServerWatches(bed.gateway);
  await watches.turn();
  await isHanging(1);
  await until(() => single!.listeners.size > 0);
  single!.tools[0] = { ...TOOL, description: 'Looks and takes' };
  single!.notify();
  await until(async () => (await other.must(200).get(`${I}/single/changes?status=pending`)).total > 0);
  const { rows } = await bed.patient.raw(
    'select count(*)::int, count(distinct org_id)::int as orgs from custom_integrations where watched_by is not null',
  );
  expect(rows).toEqual([{ count: 100, orgs: 2 }]);
  await flooding!.close();
  await watches.close();
});

test('a process with the maximum of watched servers of one organization drops one to watch a server of another', async () => {
  await importServer(bed.api, 'flood', flooding!);
  await multiply('flood', 120);
  const watches = openServerWatches(bed.gateway);
  await watches.turn();
  await importServer(other, 'single', single!);
  await watches.turn();
  await until(() => single!.listeners.size > 0);
  await watches.close();
});

test('a closing schedule waits for the refresh of an integration that is just being leased', async () => {
  await importServer(bed.api, 'single', single!, { refreshEverySeconds: 60 });
  await makeDue(new Date(0), 'single');
  const asked = single!.arrived.length;
  const lock = await bed.patient.transaction();
  await lock.raw('lock table custom_integrations in access exclusive mode');
  const schedule = openRefreshSchedule(bed.gateway);
  const turn = schedule.turn();
  const waiting = () => bed.gateway.db('pg_stat_activity').where({ wait_event_type: 'Lock' }).whereILike('query', '%custom_integrations%');
  await until(async () => (await waiting()).length > 0);
  const closed = schedule.close();
  await lock.rollback();
  await closed;
  await turn;
  expect(single!.arrived.length).toBeGreaterThan(asked);
  const [{ checked_at: checkedAt }] = await bed.patient('custom_integrations').where({ name: 'single' }).select('checked_at');
  expect(checkedAt.getTime()).toBeGreaterThan(0);
});
