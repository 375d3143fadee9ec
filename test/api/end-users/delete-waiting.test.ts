import type { Db } from '../../../infra/database.ts';
import { patientDatabase } from '../../support/patient-database.ts';
import { system } from '../../support/system.ts';
import { aPolicy, aServer, type Tenant } from '../../support/tenant.ts';
import { checkedTenant } from '../checked-caller.ts';
import { aConnection, anEndUser, END_USERS } from './end-user-bed.ts';

const REASON = 'The end user was deleted.';

let tenant: Tenant;
let db: Db;
beforeAll(async () => {
  tenant = await checkedTenant();
  await aPolicy(tenant, {});
  db = patientDatabase((await system()).databaseUrl);
});
afterAll(() => db?.destroy());

const remove = (id: string) => tenant.api.must(200).delete(`${END_USERS}/${id}`);
const approvalOf = async (id: string) => (await tenant.api.must(200).get(`/api/v1/approvals/${id}`)).approval;

async function aWaitingCall(text: string, endUserId?: string): Promise<string> {
  const call = { workspaceId: tenant.workspaceId, integrationName: 'hash-encode', actionName: 'hash', input: { text }, endUserId };
  return (await tenant.api.must(202).post('/api/v1/actions/execute', call)).approval.id;
}

async function aScopedServer(endUserId: string): Promise<string> {
  const fields = { name: 'Scoped', workspaceId: tenant.workspaceId, mode: 'CODE', endUserId };
  return (await tenant.api.must(201).post('/api/v1/mcp/servers', fields)).server.id;
}

test('only the pending approvals for the deleted end user are canceled', async () => {
  const [doomed, other] = [await anEndUser(tenant), await anEndUser(tenant)];
  const [canceled, waiting] = [await aWaitingCall('own', doomed.externalId), await aWaitingCall('own', other.externalId)];
  await remove(doomed.id);
  expect(await approvalOf(canceled)).toMatchObject({ status: 'canceled', decisionReason: REASON, decidedByType: 'system' });
  expect(await approvalOf(waiting)).toMatchObject({ status: 'pending' });
});

test("pending approvals of every requester are canceled if they use the end user's connection or server", async () => {
  const doomed = await anEndUser(tenant);
  const connectionId = await aConnection({ db, orgId: tenant.orgId }, doomed);
  const serverId = await aScopedServer(doomed.externalId);
  const [onConnection, onServer, elsewhere] = [await aWaitingCall('a'), await aWaitingCall('b'), await aWaitingCall('c')];
  await db('approvals')
    .where({ id: onConnection })
    .update({ concerned_connection_ids: [connectionId] });
  await db('approvals').where({ id: onServer }).update({ mcp_server_id: serverId });
  await remove(doomed.id);
  const statuses = await Promise.all([onConnection, onServer, elsewhere].map(async (id) => (await approvalOf(id)).status));
  expect(statuses).toEqual(['canceled', 'canceled', 'pending']);
});

test('a code run that waits on a server of the end user is canceled', async () => {
  const doomed = await anEndUser(tenant);
  await aServer(tenant, 'CODE', ['kv-store']);
  const serverId = await aScopedServer(doomed.externalId);
  const code = 'return await svc.kv_store.put({ key: "a", value: 1 });';
  const { structuredContent } = await tenant.api.must(200).post(`/api/v1/mcp/servers/${serverId}/execute-code`, { code });
  expect(structuredContent.status).toBe('approval_required');

  await remove(doomed.id);

  expect(await approvalOf(structuredContent.approval.id)).toMatchObject({ status: 'canceled', decisionReason: REASON });
  expect(await db('code_runs').where({ mcp_server_id: serverId }).pluck('status')).toEqual(['canceled']);
  expect((await tenant.api.get(`/api/v1/mcp/servers/${serverId}`)).status).toBe(404);
});
