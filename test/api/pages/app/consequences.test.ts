import { randomUUID } from 'node:crypto';
import { describeDependents } from '../../../../api/pages/app/consequences.ts';
import { DEPENDENT_CAP, type DependedKind, type Dependents } from '../../../../domain/impact/dependents.ts';
import { countDependents } from '../../../../store/dependents.ts';
import { type ApiBed, openApiBed } from '../../api-bed.ts';
import { anApproval } from '../page-bed.ts';
import { type AppMember, aMember, pageBed } from './app-bed.ts';

let bed: ApiBed;
let admin: AppMember;
beforeAll(async () => {
  bed = await openApiBed();
  admin = await aMember(bed, 'admin', { name: 'Ada' });
});
afterAll(() => bed.close());

const counted = async (kind: DependedKind, id: string) => {
  const counts = await countDependents(bed.gateway.db, bed.orgId, { kind, id });
  return Object.fromEntries(Object.entries(counts).flatMap(([name, { count }]) => (count > 0 ? [[name, count]] : [])));
};

async function aFullWorkspace() {
  const { api } = bed;
  const { workspace } = await api.must(201).post('/api/v1/workspaces', { name: 'Full', slug: randomUUID() });
  const workspaceId = workspace.id;
  const person = (await api.must(201).post('/api/v1/end-users', { workspaceId, externalId: 'ada' })).endUser;
  const account = { integrationName: 'mail', authMethodKey: 'token', type: 'SECRET_TEXT', displayName: 'Post', scope: 'USER' };
  const owner = { workspaceId, endUserId: 'ada', externalId: 'post' };
  const { connection } = await api.must(201).post('/api/v1/connections', { ...account, ...owner, secretText: 'x' });
  const [integration] = await bed.gateway
    .db('workspace_integrations')
    .insert({
      ...{ org_id: bed.orgId, workspace_id: workspaceId, integration_name: 'mail', alias: 'mail' },
      ...{ connection_strategy: 'fixed', connection_id: connection.id },
    })
    .returning('id');
  const { server } = await api.must(201).post('/api/v1/mcp/servers', { workspaceId, name: 'Agents', mode: 'TOOLS', endUserId: 'ada' });
  const policy = {
    workspaceId,
    name: 'Ask',
    decision: 'require_approval',
    mcpServerIds: [server.id],
    workspaceIntegrationIds: [integration.id],
  };
  const made = await api
    .must(200)
    .post('/api/v1/approval-policies', { ...policy, approvers: [{ type: 'dashboard_user', userIds: [admin.id] }] });
  const key = (await api.must(200).get('/api/v1/api-keys')).apiKeys[0].id;
  const call = {
    ...{ org_id: bed.orgId, workspace_id: workspaceId, source: 'rest', mcp_server_id: server.id, workspace_integration_id: integration.id },
    ...{ integration_name: 'mail', action_name: 'send', end_user_id: 'ada', connection_id: connection.id, input_hash: 'x' },
    ...{ requested_by_type: 'api_key', requested_by_id: key, status: 'succeeded' },
  };
  const old = { ...call, started_at: bed.gateway.db.raw("now() - interval '8 days'") };
  await bed.gateway.db('calls').insert([call, call, call]);
  await bed.gateway.db('calls').insert(old);
  const ids = { workspace: workspaceId, endUser: person.id, connection: connection.id, mcpServer: server.id };
  return { ...ids, workspaceIntegration: integration.id, policy: made.policy.id, apiKey: key };
}

test('all dependents of a record are counted, including its calls of the last seven days', async () => {
  const ids = await aFullWorkspace();
  expect(await counted('workspace', ids.workspace)).toEqual({
    ...{ uses: 3, integrations: 1, servers: 1, people: 1, connections: 1, policies: 1 },
  });
  expect(await counted('workspaceIntegration', ids.workspaceIntegration)).toEqual({ uses: 3, servers: 1, policies: 1 });
  expect(await counted('connection', ids.connection)).toEqual({ uses: 3, integrations: 1, servers: 1 });
  expect(await counted('mcpServer', ids.mcpServer)).toMatchObject({ uses: 3, policies: 1 });
  expect(await counted('endUser', ids.endUser)).toMatchObject({ uses: 3, connections: 1, servers: 1 });
  expect(await counted('apiKey', ids.apiKey)).toEqual({ uses: 3 });
  expect(await counted('member', admin.id)).toEqual({ policies: 1 });
  expect(await counted('suspendedServer', ids.mcpServer)).toMatchObject({ uses: 3, policies: 1 });
  expect(await counted('ownIntegration', 'mail')).toMatchObject({ uses: 3 });
  expect(await counted('encryptionKey', bed.orgId)).toEqual({ uses: 3, connections: 1 });
});

test('the calls of a token, a policy and a server are counted, and pages show the numbers', async () => {
  const { workspaceId, api } = bed;
  const { server } = await api.must(201).post('/api/v1/mcp/servers', { workspaceId, name: 'Counted', authMode: 'bearer' });
  const [token] = await bed.gateway.db('mcp_tokens').where({ server_id: server.id }).select('id');
  const policyId = randomUUID();
  const call = {
    ...{ org_id: bed.orgId, workspace_id: workspaceId, source: 'mcp_tools', mcp_server_id: server.id },
    ...{ integration_name: 'http', action_name: 'send_request', input_hash: 'x', status: 'succeeded' },
    ...{ requested_by_type: 'mcp_token', requested_by_id: token.id },
    facts: JSON.stringify({ decidedBy: { policyId, decision: 'let_through' } }),
  };
  await bed.gateway.db('calls').insert([call, call]);
  expect(await counted('mcpToken', token.id)).toEqual({ uses: 2 });
  expect(await counted('policy', policyId)).toEqual({ calls: 2 });
  expect((await admin.get(`/servers/${server.id}/replace-token`)).text).toContain('2 calls came with this token in the last 7 days.');
  expect((await admin.get(`/servers/${server.id}/suspend`)).text).toContain('2 calls came through this server in the last 7 days.');
});

test('pending requests are counted for the policy, the workspace and the calling key', async () => {
  const approval = await anApproval(pageBed(bed));
  const [policyId, keyId] = [randomUUID(), randomUUID()];
  const asked = { policy_id: policyId, requested_by_type: 'api_key', requested_by_id: keyId };
  await bed.gateway.db('approvals').where({ id: approval.id }).update(asked);
  const waits = { waiting: 1 };
  expect(await counted('policy', policyId)).toMatchObject({ uses: 1, ...waits });
  expect(await counted('workspace', bed.workspaceId)).toMatchObject(waits);
  expect(await counted('apiKey', keyId)).toMatchObject(waits);
});

test('the dependents of a record of another organization are not counted', async () => {
  const ids = await aFullWorkspace();
  const [{ id: orgId }] = await bed.gateway.db('orgs').insert({ name: 'Other' }).returning('id');
  for (const [kind, id] of Object.entries(ids)) {
    const counts = await countDependents(bed.gateway.db, orgId, { kind: kind as DependedKind, id });
    expect([kind, ...Object.values(counts).map(({ count }) => count)]).toEqual([kind, ...Object.values(counts).map(() => 0)]);
  }
});

test('the page of a key lists what its deletion breaks', async () => {
  const { apiKey } = await aFullWorkspace();
  const { text } = await admin.get(`/keys/${apiKey}/delete`);
  expect(text).toMatch(/Requests with this key are refused from now on\. \d+ calls came with this key in the last 7 days\./);
});

const noDependents = () => countDependents(bed.gateway.db, bed.orgId, { kind: 'workspace', id: randomUUID() });
const many = { count: DEPENDENT_CAP, isMore: true };

test.each<[string, Partial<Dependents>, string]>([
  ['none', {}, 'No call came with this key in the last 7 days.'],
  ['one', { uses: { count: 1, isMore: false } }, '1 call came with this key in the last 7 days.'],
  ['several', { uses: { count: 1234, isMore: false } }, '1,234 calls came with this key in the last 7 days.'],
  ['more than the counting limit', { uses: many }, 'More than 10,000 calls came with this key in the last 7 days.'],
  ['more than the search limit', { uses: { count: 1, isMore: true } }, 'At least 1 call came with this key in the last 7 days.'],
])('the number of calls as text: %s', async (_, counts, words) => {
  expect(describeDependents('apiKey', { ...(await noDependents()), ...counts })[0]).toContain(words);
});

test('the text for a workspace lists everything that is deleted or withdrawn', async () => {
  const count = (number: number) => ({ count: number, isMore: false });
  const found = { ...(await noDependents()), servers: count(2), people: count(1), waiting: count(1), runs: count(3) };
  expect(describeDependents('workspace', found)).toEqual([
    'Deleted with it: 2 MCP servers and 1 person. No call ran in this workspace in the last 7 days. Withdrawn with it: 1 waiting approval and 3 unfinished code runs.',
    expect.stringContaining('You can’t undo this.'),
  ]);
  expect(describeDependents('workspace', await noDependents())[0]).toBe(
    'The workspace is empty. No call ran in this workspace in the last 7 days.',
  );
});
