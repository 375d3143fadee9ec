import { randomUUID } from 'node:crypto';
import type { Db } from '../../infra/database.ts';
import { FREE } from '../chaos/fault-injector.ts';
import { openPostgresWire, type PostgresWire } from '../chaos/postgres-wire.ts';
import { type ApiAnswer, type Caller, callerOf } from '../support/caller.ts';
import { newOrg } from '../support/new-org.ts';
import { patientDatabase } from '../support/patient-database.ts';
import { cloneDatabase } from '../support/system.ts';
import { type ApiBed, openApiBed } from './api-bed.ts';

let database: { url: string; drop(): Promise<void> };
let wire: PostgresWire;
let bed: ApiBed;
let patient: Db;
/** The statements of the API since the last look, by name. */
let seen: string[] = [];

beforeAll(async () => {
  database = await cloneDatabase();
  const url = new URL(database.url);
  wire = await openPostgresWire({ host: url.hostname, port: Number(url.port) }, ({ label }) => {
    seen.push(label);
    return FREE;
  });
  url.port = String(wire.port);
  bed = await openApiBed({ DATABASE_URL: url.href });
  patient = patientDatabase(database.url);
});
afterAll(async () => {
  await bed?.close();
  await patient?.destroy();
  await wire?.close();
  await database?.drop();
});

/** The statements of `work` in a process that has done the same before. */
async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  await work();
  seen = [];
  await work();
  return seen;
}

const anEndUser = async (api: Caller, workspaceId: string) =>
  (await api.must(201).post('/api/v1/end-users', { workspaceId, externalId: randomUUID() })).endUser.id as string;

/** A way to call a tool of a new MCP server of the bed's organization. */
async function aTool(): Promise<(dateString: string) => Promise<ApiAnswer>> {
  const { api, workspaceId, apiUrl } = bed;
  await api
    .must(201)
    .post(`/api/v1/workspaces/${workspaceId}/integrations`, { integrationName: 'datetime', alias: `d${randomUUID().slice(0, 8)}` });
  const { server, bearerToken } = await api.must(201).post('/api/v1/mcp/servers', { name: randomUUID(), workspaceId, authMode: 'bearer' });
  const { body } = await callerOf(apiUrl, bearerToken).post(`/mcp/srv_${server.id}`, { jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const name = body.result.tools.find((tool: { name: string }) => tool.name.endsWith('parse_date')).name;
  const mcp = callerOf(apiUrl, bearerToken);
  return (dateString) =>
    mcp.post(`/mcp/srv_${server.id}`, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: { dateString } } });
}

test('reads of one record find the caller and the record in one statement', async () => {
  const { api, workspaceId } = bed;
  const endUserId = await anEndUser(api, workspaceId);
  expect(await statementsOf(() => api.must(200).get(`/api/v1/workspaces/${workspaceId}`))).toEqual(['keys-with-workspaces']);
  expect(await statementsOf(() => api.must(200).get(`/api/v1/end-users/${endUserId}`))).toEqual(['keys-with-end_users']);
});

test('creating an end user and calling a tool take two statements', async () => {
  const tool = await aTool();
  expect(await statementsOf(() => anEndUser(bed.api, bed.workspaceId))).toEqual(['keys', 'insert-end-user']);
  expect(await statementsOf(() => tool('2026-03-05T10:00:00Z'))).toEqual(['mcp-tokens-by-hash', 'insert-finished-calls']);
});

test('what cannot be a key costs no statement; an unknown key and a malformed id cost one', async () => {
  const { apiUrl, api, workspaceId, gateway } = bed;
  const path = `/api/v1/workspaces/${workspaceId}`;
  const answers: number[] = [];
  const get = (key: string) => async () => answers.push((await callerOf(apiUrl, key).get(path)).status);
  expect(await statementsOf(get('svc_nonsense'))).toEqual([]);
  expect(await statementsOf(get(gateway.tokens.issue('svc_')))).toEqual(['keys-with-workspaces']);
  expect(answers).toEqual([401, 401, 401, 401]);
  expect(await statementsOf(() => api.must(404).get('/api/v1/workspaces/nonsense'))).toEqual(['keys']);
  expect((await callerOf(apiUrl, gateway.tokens.issue('svc_')).get('/api/v1/workspaces/nonsense')).status).toBe(401);
});

test('requests of several organizations that share look-ups get their own records, and no foreign ones', async () => {
  const orgs = await Promise.all(Array.from({ length: 4 }, () => newOrg(database.url)));
  const callers = orgs.map(({ plainKey }) => callerOf(bed.apiUrl, plainKey));
  const endUsers = await Promise.all(orgs.map(({ workspaceId }, index) => anEndUser(callers[index]!, workspaceId)));
  const unknown = callerOf(bed.apiUrl, bed.gateway.tokens.issue('svc_'));
  seen = [];
  const asked = Array.from({ length: 400 }, (_, index) => ({ by: index % 5, of: Math.floor(index / 5) % 4 }));
  const answers = await Promise.all(asked.map(({ by, of }) => (callers[by] ?? unknown).get(`/api/v1/end-users/${endUsers[of]}`)));
  for (const [index, { by, of }] of asked.entries()) {
    const { status, body } = answers[index]!;
    if (by === 4) expect([status, body.code]).toEqual([401, 'UNAUTHORIZED']);
    else if (by !== of) expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
    else expect([status, body.endUser.id, body.endUser.workspaceId]).toEqual([200, endUsers[of], orgs[of]!.workspaceId]);
  }
  expect(seen.filter((label) => label === 'keys-with-end_users').length).toBeLessThan(asked.length);
});

test('a deleted key and a deleted record are gone for the next request', async () => {
  const { api, workspaceId, apiUrl } = bed;
  const endUserId = await anEndUser(api, workspaceId);
  const { apiKey, plainKey } = await api.must(200).post('/api/v1/api-keys', { name: 'soon gone', permissions: { scope: 'org' } });
  const other = callerOf(apiUrl, plainKey);
  await Promise.all(Array.from({ length: 20 }, () => other.must(200).get(`/api/v1/end-users/${endUserId}`)));
  await api.must(200).delete(`/api/v1/end-users/${endUserId}`);
  await other.must(404).get(`/api/v1/end-users/${endUserId}`);
  await api.must(200).delete(`/api/v1/api-keys/${apiKey.id}`);
  await other.must(401).get(`/api/v1/end-users/${endUserId}`);
});

test('a thousand concurrent tool calls: each is answered with its own output and has its record, written with few statements', async () => {
  const tool = await aTool();
  const before = await patient('calls').count<{ count: number }[]>({ count: '*' });
  seen = [];
  const days = Array.from({ length: 1000 }, (_, index) => new Date(Date.UTC(2026, 0, 1 + index)).toISOString());
  const answers = await Promise.all(days.map(tool));
  for (const [index, { status, body }] of answers.entries()) {
    expect(status).toBe(200);
    expect(body.result.isError).toBe(false);
    expect(body.result.content[0].text).toContain(days[index]!.slice(0, 10));
  }
  const after = await patient('calls').count<{ count: number }[]>({ count: '*' });
  expect(after[0]!.count - before[0]!.count).toBe(1000);
  expect(new Set(await patient('calls').pluck('input_hash')).size).toBeGreaterThanOrEqual(1000);
  expect(seen.filter((label) => label === 'insert-finished-calls').length).toBeLessThan(1000);
});
