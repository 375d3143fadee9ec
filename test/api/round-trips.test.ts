import { randomUUID } from 'node:crypto';
import type { Db } from '../../infra/database.ts';
import { type ApiAnswer, type Caller, callerOf } from '../support/caller.ts';
import { newOrg } from '../support/new-org.ts';
import type { ApiBed } from './api-bed.ts';
import { type CountedBed, openCountedBed } from './counted-bed.ts';

let counted: CountedBed;
let bed: ApiBed;
let patient: Db;

beforeAll(async () => {
  counted = await openCountedBed();
  ({ bed, patient } = counted);
});
afterAll(() => counted?.close());

/** Returns the statements of the second run, when caches are filled. */
async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  await work();
  counted.takeStatements();
  await work();
  return counted.takeStatements();
}

const anEndUser = async (api: Caller, workspaceId: string) =>
  (await api.must(201).post('/api/v1/end-users', { workspaceId, externalId: randomUUID() })).endUser.id as string;

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

test('a request for one record reads the caller and the record in one statement', async () => {
  const { api, workspaceId } = bed;
  const endUserId = await anEndUser(api, workspaceId);
  expect(await statementsOf(() => api.must(200).get(`/api/v1/workspaces/${workspaceId}`))).toEqual(['keys-with-workspaces']);
  expect(await statementsOf(() => api.must(200).get(`/api/v1/end-users/${endUserId}`))).toEqual(['keys-with-end_users']);
});

test('a request about an approval or MCP server reads the record together with the key', async () => {
  const { api, workspaceId } = bed;
  const { server } = await api.must(201).post('/api/v1/mcp/servers', { name: 'Tools', workspaceId, mode: 'TOOLS', authMode: 'bearer' });
  const refused = () => api.must(409).post(`/api/v1/mcp/servers/${server.id}/execute-code`, { code: 'return 1' });
  expect(await statementsOf(refused)).toEqual(['keys-with-mcp_servers']);
  const unknown = () => api.must(404).post('/api/v1/approvals/apr_0000000000000000000000/approve', {});
  expect(await statementsOf(unknown)).toEqual(['keys-with-approvals']);
});

test('creating an end user and calling a tool take two statements each', async () => {
  const tool = await aTool();
  expect(await statementsOf(() => anEndUser(bed.api, bed.workspaceId))).toEqual(['keys', 'insert-end-users']);
  expect(await statementsOf(() => tool('2026-03-05T10:00:00Z'))).toEqual(['mcp-tokens-by-hash', 'insert-finished-calls']);
});

test('one statement inserts an account and its audit row', async () => {
  const { api, workspaceId } = bed;
  const account = () => ({
    ...{ integrationName: 'mail', externalId: randomUUID(), workspaceId, endUserId: 'ada' },
    ...{ type: 'SECRET_TEXT', secretText: 'zq' },
  });
  const create = await statementsOf(() => api.must(201).post('/api/v1/connections', account()));
  expect(create.filter((label) => label === 'insert-connection')).toHaveLength(1);
  expect(create.filter((label) => /activity/.test(label))).toEqual([]);
  expect(create.slice(-2)).toEqual(['insert-connection', 'commit']);
  const { rows } = await patient.raw(
    `select count(*) filter (where a.type = 'connection.created')::int as connections, count(*)::int as rows,
       count(u.activity_id)::int as unsealed
     from activity a left join activity_unsealed u on u.activity_id = a.id where a.details->>'endUserId' = 'ada'`,
  );
  expect(rows).toEqual([{ connections: 2, rows: 3, unsealed: 3 }]);
});

test('a malformed credential causes no statement; an unknown key or a malformed id causes one', async () => {
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

test('requests that share look-ups get only records of their own organization', async () => {
  const orgs = await Promise.all(Array.from({ length: 4 }, () => newOrg(counted.databaseUrl)));
  const callers = orgs.map(({ plainKey }) => callerOf(bed.apiUrl, plainKey));
  const endUsers = await Promise.all(orgs.map(({ workspaceId }, index) => anEndUser(callers[index]!, workspaceId)));
  const unknown = callerOf(bed.apiUrl, bed.gateway.tokens.issue('svc_'));
  counted.takeStatements();
  const asked = Array.from({ length: 400 }, (_, index) => ({ by: index % 5, of: Math.floor(index / 5) % 4 }));
  const answers = await Promise.all(asked.map(({ by, of }) => (callers[by] ?? unknown).get(`/api/v1/end-users/${endUsers[of]}`)));
  for (const [index, { by, of }] of asked.entries()) {
    const { status, body } = answers[index]!;
    if (by === 4) expect([status, body.code]).toEqual([401, 'UNAUTHORIZED']);
    else if (by !== of) expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
    else expect([status, body.endUser.id, body.endUser.workspaceId]).toEqual([200, endUsers[of], orgs[of]!.workspaceId]);
  }
  expect(counted.statements().filter((label) => label === 'keys-with-end_users').length).toBeLessThan(asked.length);
});

test('end users that are created concurrently share statements, and each is created once', async () => {
  const orgs = await Promise.all(Array.from({ length: 3 }, () => newOrg(counted.databaseUrl)));
  const callers = orgs.map(({ plainKey }) => callerOf(bed.apiUrl, plainKey));
  counted.takeStatements();
  const asked = Array.from({ length: 300 }, (_, index) => ({
    ...{ by: index % 3, of: index % 10 === 9 ? (index + 1) % 3 : index % 3, externalId: `e${index % 60}` },
  }));
  const answers = await Promise.all(
    asked.map(({ by, of, externalId }) => callers[by]!.post('/api/v1/end-users', { workspaceId: orgs[of]!.workspaceId, externalId })),
  );
  expect(counted.takeStatements().filter((label) => label === 'insert-end-users').length).toBeLessThan(asked.length);
  const made = new Map<string, string>();
  for (const [index, { status, body }] of answers.entries()) {
    const { by, of, externalId } = asked[index]!;
    if (by !== of) expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
    else if (status === 409) expect(body.code).toBe('DUPLICATE');
    else {
      expect([status, body.endUser]).toEqual([201, expect.objectContaining({ externalId, workspaceId: orgs[of]!.workspaceId })]);
      expect(made.has(externalId)).toBe(false);
      made.set(externalId, body.endUser.id);
    }
  }
  const orgIds = orgs.map(({ orgId }) => orgId);
  const stored = await patient('end_users').whereIn('org_id', orgIds).select('external_id', 'id');
  expect(new Map(stored.map(({ external_id, id }) => [external_id, id]))).toEqual(made);
  const { rows } = await patient.raw(
    `select details->>'endUserId' as "externalId", details->>'endUserUuid' as id
     from activity a join activity_unsealed u on u.activity_id = a.id where type = 'end_user.created' and a.org_id = any(?)`,
    [orgIds],
  );
  expect(rows).toHaveLength(made.size);
  expect(new Map(rows.map(({ externalId, id }: { externalId: string; id: string }) => [externalId, id]))).toEqual(made);
});

test('the next request does not find a deleted key or a deleted record', async () => {
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

test('a thousand concurrent tool calls each get their own output and record, and share statements', async () => {
  const tool = await aTool();
  const before = await patient('calls').count<{ count: number }[]>({ count: '*' });
  counted.takeStatements();
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
  expect(counted.statements().filter((label) => label === 'insert-finished-calls').length).toBeLessThan(1000);
});

describe('concurrent requests for the same list', () => {
  const LIST = '/api/v1/approvals?limit=5';
  const ask = (caller: Caller, workspaceId: string) =>
    caller.must(202).post('/api/v1/actions/execute', {
      ...{ workspaceId, integrationName: 'hash-encode', actionName: 'hash', input: { text: randomUUID() } },
    });
  const aTenant = async () => {
    const org = await newOrg(counted.databaseUrl);
    const caller = callerOf(bed.apiUrl, org.plainKey);
    await caller.must(200).post('/api/v1/approval-policies', { name: 'Hashes', actionNames: ['hash'], riskMode: 'always' });
    return { ...org, caller };
  };

  test('share a statement if they have the same key', async () => {
    const tenants = await Promise.all([aTenant(), aTenant()]);
    for (const [place, { caller, workspaceId }] of tenants.entries()) for (let n = 0; n <= place; n += 1) await ask(caller, workspaceId);
    const narrow = { name: 'narrow', permissions: { scope: 'workspace', workspaceIds: [] } };
    const { plainKey } = await tenants[0]!.caller.must(200).post('/api/v1/api-keys', narrow);
    const callers = [...tenants.map(({ caller }) => caller), callerOf(bed.apiUrl, plainKey)];
    counted.takeStatements();
    const answers = await Promise.all(Array.from({ length: 120 }, (_, n) => callers[n % 3]!.must(200).get(LIST)));
    expect(answers.map(({ total, approvals }) => [total, approvals.length])).toEqual(
      answers.map(
        (_, n) =>
          [
            [1, 1],
            [2, 2],
            [0, 0],
          ][n % 3],
      ),
    );
    const lists = counted.statements().filter((label) => label.startsWith('approvals-by'));
    expect(lists.length).toBeLessThan(100);
  });

  test('each return the rows that exist when the request is made', async () => {
    const { caller, workspaceId } = await aTenant();
    for (let made = 1; made <= 20; made += 1) {
      const others = Array.from({ length: 5 }, () => caller.must(200).get(LIST));
      await ask(caller, workspaceId);
      const [mine] = await Promise.all([caller.must(200).get(LIST), ...others]);
      expect(mine.total).toBe(made);
    }
  });
});
