import { createOrg } from '../../../commands/access/create-org.ts';
import { runPrepared } from '../../../infra/database.ts';
import type { ApiBed } from '../api-bed.ts';
import { aWorkspace, checkedCaller, withWorkspaceKey } from '../checked-caller.ts';
import { openAccountsBed } from './accounts-bed.ts';

const PATH = '/api/v1/connections';
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

let bed: ApiBed;
let elsewhere: string;
/** The ids of the connections, by external id. */
const ids: Record<string, string> = {};
beforeAll(async () => {
  bed = await openAccountsBed();
  elsewhere = await aWorkspace({ ...bed }, 'elsewhere');
  const { workspaceId } = bed;
  for (const [externalId, more] of Object.entries({
    'org-chat': {},
    'org-ledger': { integrationName: 'ledger', authMethodKey: 'live' },
    'here-shared': { workspaceId, scope: 'WORKSPACE' },
    'here-ada': { workspaceId, endUserId: 'ada' },
    'here-bob': { workspaceId, endUserId: 'bob' },
    'there-shared': { workspaceId: elsewhere, scope: 'WORKSPACE' },
    'there-ada': { workspaceId: elsewhere, endUserId: 'ada' },
  })) {
    const body = { integrationName: 'chat', type: 'SECRET_TEXT', secretText: 's3cret', externalId, ...more };
    ids[externalId] = (await bed.api.must(201).post(PATH, body)).connection.id;
  }
});
afterAll(() => bed.close());

type List = { connections: { externalId: string }[]; total: number };
const list = async (query: string, api = bed.api): Promise<[string[], number]> => {
  const { connections, total }: List = await api.must(200).get(`${PATH}${query}`);
  return [connections.map(({ externalId }) => externalId), total];
};

const ALL = ['org-chat', 'org-ledger', 'here-shared', 'here-ada', 'here-bob', 'there-shared', 'there-ada'];

test('an org-wide key lists all connections, oldest first, in pages with the exact total', async () => {
  expect(await list('')).toEqual([ALL, 7]);
  expect(await list('?limit=3')).toEqual([ALL.slice(0, 3), 7]);
  expect(await list('?limit=3&offset=6')).toEqual([ALL.slice(6), 7]);
  expect(await list('?offset=7')).toEqual([[], 7]);
});

test('the list can be filtered by workspaceId, endUserId and integrationName', async () => {
  expect(await list(`?workspaceId=${bed.workspaceId}`)).toEqual([ALL.slice(0, 5), 5]);
  expect(await list('?endUserId=ada')).toEqual([['here-ada', 'there-ada'], 2]);
  expect(await list(`?endUserId=ada&workspaceId=${elsewhere}`)).toEqual([['there-ada'], 1]);
  expect(await list('?endUserId=nobody')).toEqual([[], 0]);
  expect(await list('?integrationName=ledger')).toEqual([['org-ledger'], 1]);
});

test.each(['limit=0', 'limit=101', 'limit=x', 'limit=1.5', 'offset=-1', 'workspaceId=x', 'endUserId='])('?%s is refused', async (query) => {
  expect(await bed.api.get(`${PATH}?${query}`)).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
});

test('?id= returns that connection; unknown ids, malformed ids and ids of another organization get the same answer', async () => {
  const { connection } = await bed.api.must(200).get(`${PATH}?id=${ids['here-ada']}`);
  expect(connection).toMatchObject({ id: ids['here-ada'], externalId: 'here-ada', endUserId: 'ada', scope: 'USER' });
  const stranger = checkedCaller(bed.apiUrl, (await createOrg(bed.gateway, 'Stranger')).plainKey);
  const answers = [
    await bed.api.get(`${PATH}?id=${UNKNOWN}`),
    await bed.api.get(`${PATH}?id=x`),
    await stranger.get(`${PATH}?id=${ids['here-ada']}`),
  ];
  for (const { status, body } of answers) expect([status, body.code]).toEqual([404, 'CONNECTION_NOT_FOUND']);
  expect(await list('', stranger)).toEqual([[], 0]);
});

test('a workspace key sees connections of its workspaces and of the organization', async () => {
  const [here, locked] = [await withWorkspaceKey(bed), await withWorkspaceKey(bed, [])];
  expect(await list('', here)).toEqual([ALL.slice(0, 5), 5]);
  expect(await list('', locked)).toEqual([[], 0]);
  await here.must(200).get(`${PATH}?id=${ids['org-chat']}`);
  const denied = { status: 403, body: { code: 'SCOPE_DENIED' } };
  expect(await here.get(`${PATH}?id=${ids['there-shared']}`)).toMatchObject(denied);
  expect(await here.get(`${PATH}?workspaceId=${elsewhere}`)).toMatchObject(denied);
  expect(await locked.get(`${PATH}?id=${ids['org-chat']}`)).toMatchObject(denied);
});

test('a page far down a large table needs no sequential scan', async () => {
  const { db } = bed.gateway;
  const { orgId, plainKey } = await createOrg(bed.gateway, 'Large');
  const fill = `insert into connections (org_id, external_id, display_name, integration_name, auth_method_key, type, scope, sealed_credentials, created_at)
                select ?, 'many ' || n, 'x', 'chat', 'token', 'SECRET_TEXT', 'ORGANIZATION', '', now() + n * interval '1 ms' from generate_series(1, ?::int) n`;
  await bed.patient.raw(fill, [orgId, 2000]);
  await bed.patient.raw(fill, [(await createOrg(bed.gateway, 'Larger')).orgId, 30_000]);
  await bed.patient.raw('vacuum analyze connections');
  const queries: { sql: string; bindings: unknown[] }[] = [];
  const listen = (query: { sql: string; bindings: unknown[] }) => /from "connections/.test(query.sql) && queries.push(query);
  db.on('query', listen);
  const page: List = await checkedCaller(bed.apiUrl, plainKey).must(200).get(`${PATH}?limit=50&offset=1900`);
  db.removeListener('query', listen);
  expect([page.connections[0]!.externalId, page.total, queries.length]).toEqual(['many 1901', 2000, 2]);
  for (const [index, { sql, bindings }] of queries.entries()) {
    const plan = await runPrepared(db, { name: `explain ${index}`, text: `explain ${sql}` }, bindings);
    expect(JSON.stringify(plan)).not.toContain('Seq Scan on connections');
  }
});
