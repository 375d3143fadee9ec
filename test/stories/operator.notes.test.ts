import { Client, Connection } from '@temporalio/client';
import { addUser } from '../../commands/access/add-user.ts';
import type { OrgRole } from '../../domain/policies/policy.ts';
import type { Db } from '../../infra/database.ts';
import { anOperatorCode } from '../support/operator-codes.ts';
import { patientDatabase } from '../support/patient-database.ts';
import { system } from '../support/system.ts';
import { aPolicy, aTenant, type Tenant } from '../support/tenant.ts';

let connection: Connection;
let temporal: Client;
let db: Db;
let tenant: Tenant;

beforeAll(async () => {
  const { temporalAddress, temporalNamespace, databaseUrl } = await system();
  connection = await Connection.connect({ address: temporalAddress });
  temporal = new Client({ connection, namespace: temporalNamespace, identity: 'temporal-cli:ada@laptop' });
  db = patientDatabase(databaseUrl);
});
beforeEach(async () => {
  tenant = await aTenant();
});
afterAll(async () => {
  await db.destroy();
  await connection.close();
});

async function aGatedCall(fields: object = {}): Promise<string> {
  await aPolicy(tenant, { integrationNames: ['datetime'], ...fields });
  const call = { integrationName: 'datetime', actionName: 'parse_date', workspaceId: tenant.workspaceId };
  return (await tenant.api.must(202).post('/api/v1/actions/execute', { ...call, input: { dateString: '2026-01-01' } })).approval.id;
}

const workflowOf = (id: string, client = temporal) => client.workflow.getHandle(`approval/${id}`);
const approvalOf = async (id: string) => (await tenant.api.must(200).get(`/api/v1/approvals/${id}`)).approval;
const aMember = (email: string, role: OrgRole) =>
  addUser(db, {
    orgId: tenant.orgId,
    email: `${email}-${tenant.orgId}@example.com`,
    displayName: null,
    role,
    by: { type: 'operator', id: null },
  });

async function detailsOf(id: string): Promise<string> {
  return (await workflowOf(id).query<{ currentDetails: string }>('__temporal_workflow_metadata')).currentDetails;
}

test('a code for a member decides as that member, and `by` is ignored', async () => {
  const owner = await aMember('owner', 'owner');
  const id = await aGatedCall({ approvers: [{ type: 'org_role', roles: ['owner'] }] });
  await workflowOf(id).signal('approve', { reason: 'fine', by: 'boss@example.com', code: await anOperatorCode(id, { userId: owner.id }) });
  expect(await workflowOf(id).result()).toBe('approved');
  expect(await approvalOf(id)).toMatchObject({ decidedByType: 'user', decidedById: owner.id, decisionReason: 'fine' });
  const { activity } = await tenant.api.must(200).get(`/api/v1/activity?approvalId=${id}&type=approval.approved`);
  expect(activity).toMatchObject([{ actorId: owner.id, details: { sender: 'temporal-cli:ada@laptop' } }]);
});

test('the code of a member whom the policy does not name is refused, and the refusal is recorded', async () => {
  const member = await aMember('member', 'member');
  const id = await aGatedCall({ approvers: [{ type: 'org_role', roles: ['owner'] }] });
  await workflowOf(id).signal('approve', { code: await anOperatorCode(id, { userId: member.id }) });
  await aRefusal(id, 'approve. The policy asks for an owner');
  expect(await detailsOf(id)).toMatch(/^Waits for a person until .*\nTo approve, run: .*operator-code apr_/);
  expect((await approvalOf(id)).status).toBe('pending');
  const refused = await db('activity').where({ approval_id: id, type: 'approval.decision_refused' }).select('actor_type', 'actor_id');
  expect(refused).toEqual([{ actor_type: 'user', actor_id: member.id }]);
  await workflowOf(id).signal('cancel');
  expect(await workflowOf(id).result()).toBe('canceled');
});

async function aRefusal(id: string, start: string): Promise<void> {
  while (!(await detailsOf(id)).includes(`refused: ${start}`)) await workflowOf(id).describe();
}

test.each([{ by: 'Ada from support' }, { by: 'owner@example.com', reason: 'x' }, undefined])(
  'an operator without a code is recorded as unverified: %j',
  async (note) => {
    const id = await aGatedCall();
    await workflowOf(id).signal('reject', note);
    expect(await workflowOf(id).result()).toBe('rejected');
    expect(await approvalOf(id)).toMatchObject({ decidedByType: 'operator', decidedById: 'unverified' });
  },
);

/** Sends a signal without an identity, as the Temporal UI of the dev server does. */
async function signalRaw(id: string, signalName: string, encoding: string, data: string): Promise<void> {
  const payload = { metadata: { encoding: Buffer.from(encoding) }, data: Buffer.from(data) };
  await connection.workflowService.signalWorkflowExecution({
    namespace: temporal.options.namespace,
    workflowExecution: { workflowId: `approval/${id}` },
    signalName,
    input: { payloads: [payload] },
  });
}

test.each([
  ['a number', 'json/plain', '42'],
  ['a list', 'json/plain', '[{"reason":"x"}]'],
  ['an object with a mistyped name', 'json/plain', '{"Code":"opc_x"}'],
  ['an object with wrong types', 'json/plain', '{"reason":{"a":1},"code":7}'],
  ['a code of the maximum length of a signal', 'json/plain', JSON.stringify({ code: `opc_${'x'.repeat(1_900_000)}` })],
  ['not JSON', 'json/plain', 'approve, please'],
  ['in another encoding', 'json/protobuf', '{"reason":"x"}'],
  ['in an unknown encoding', 'x/unknown', '\u0000'],
])('a note that is %s is refused, and the workflow continues to wait', async (_, encoding, data) => {
  const id = await aGatedCall();
  await signalRaw(id, 'approve', encoding, data);
  await aRefusal(id, 'approve. The note of the signal is not understood');
  expect((await approvalOf(id)).status).toBe('pending');
  await signalRaw(id, 'cancel', 'json/plain', 'null');
  expect(await workflowOf(id).result()).toBe('canceled');
  expect(await approvalOf(id)).toMatchObject({ decidedByType: 'operator', decidedById: 'unverified', decisionReason: null });
});

test('a huge note is cut, and its invisible characters are made visible', async () => {
  const id = await aGatedCall();
  await workflowOf(id).signal('reject', { reason: `a\u202e\u0000${'x'.repeat(200_000)}` });
  expect(await workflowOf(id).result()).toBe('rejected');
  const { decisionReason } = await approvalOf(id);
  expect(decisionReason).toHaveLength(2000);
  expect(decisionReason.startsWith('a\\u{202e}\\u{0}xx')).toBe(true);
});
