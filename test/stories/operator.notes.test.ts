import { Client, Connection } from '@temporalio/client';
import { addUser } from '../../commands/add-user.ts';
import type { OrgRole } from '../../domain/policy.ts';
import type { Db } from '../../infra/database.ts';
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

/** A gated call under a policy with these fields; answers the approval's id. */
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

/** What the Temporal UI shows as the current details of a workflow. */
async function detailsOf(id: string): Promise<string> {
  return (await workflowOf(id).query<{ currentDetails: string }>('__temporal_workflow_metadata')).currentDetails;
}

test('a signal with the address of a member decides as that member, and it stays known who sent it', async () => {
  const owner = await aMember('owner', 'owner');
  const id = await aGatedCall({ approvers: [{ type: 'org_role', roles: ['owner'] }] });
  await workflowOf(id).signal('approve', { reason: 'fine', by: owner.email.toUpperCase() });
  expect(await workflowOf(id).result()).toBe('approved');
  expect(await approvalOf(id)).toMatchObject({ decidedByType: 'user', decidedById: owner.id, decisionReason: 'fine' });
  const { activity } = await tenant.api.must(200).get(`/api/v1/activity?approvalId=${id}&type=approval.approved`);
  expect(activity).toMatchObject([{ actorId: owner.id, details: { sender: 'temporal-cli:ada@laptop' } }]);
});

test('one whom the policy does not ask for changes nothing: the workflow says why, the activity says who, and it goes on waiting', async () => {
  const member = await aMember('member', 'member');
  const id = await aGatedCall({ approvers: [{ type: 'org_role', roles: ['owner'] }] });
  await workflowOf(id).signal('approve', { by: member.email });
  await aRefusal(id, `approve by ${member.email}`);
  expect(await detailsOf(id)).toMatch(
    /^Waits for a person until .*\n- refused: approve by .*\. The policy asks for an owner of the organization/,
  );
  expect((await approvalOf(id)).status).toBe('pending');
  const refused = await db('activity').where({ approval_id: id, type: 'approval.decision_refused' }).select('actor_type', 'actor_id');
  expect(refused).toEqual([{ actor_type: 'user', actor_id: member.id }]);
  await workflowOf(id).signal('cancel');
  expect(await workflowOf(id).result()).toBe('canceled');
});

/** Resolves when the details of a workflow tell of a refusal that begins so. */
async function aRefusal(id: string, start: string): Promise<void> {
  while (!(await detailsOf(id)).includes(`refused: ${start}`)) await workflowOf(id).describe();
}

test.each([
  ['who they say to be', { by: 'Ada from support' }, 'Ada from support'],
  ['who sent it, by what Temporal recorded', { reason: 'x' }, 'temporal-cli:ada@laptop'],
])('an operator who is no member is known by %s', async (_, note, decidedById) => {
  const id = await aGatedCall();
  await workflowOf(id).signal('reject', note);
  expect(await workflowOf(id).result()).toBe('rejected');
  expect(await approvalOf(id)).toMatchObject({ decidedByType: 'operator', decidedById });
});

test('a signal with an address of nobody changes nothing, and the workflow says why', async () => {
  const id = await aGatedCall();
  await workflowOf(id).signal('approve', { by: 'nobody@example.com' });
  await aRefusal(id, 'approve by nobody@example.com. That is not the address of a member');
  expect((await approvalOf(id)).status).toBe('pending');
  await workflowOf(id).signal('cancel');
  expect(await workflowOf(id).result()).toBe('canceled');
});

test('of several operators each is known by their own signal', async () => {
  const id = await aGatedCall({ approvers: [{ type: 'org_role', roles: ['owner'] }] });
  const member = await aMember('guest', 'member');
  await workflowOf(id).signal('approve', { by: member.email });
  const second = new Client({ connection, namespace: temporal.options.namespace, identity: 'temporal-cli:bob@desk' });
  await workflowOf(id, second).signal('approve');
  expect(await workflowOf(id).result()).toBe('approved');
  expect(await approvalOf(id)).toMatchObject({ decidedByType: 'operator', decidedById: 'temporal-cli:bob@desk' });
});

/** As the Temporal UI of the dev server sends it: from nobody, in the encoding given. */
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
  ['a mistyped name', 'json/plain', '{"By":"ada@example.com"}'],
  ['wrong kinds inside', 'json/plain', '{"reason":{"a":1},"by":7}'],
  ['what is no JSON', 'json/plain', 'approve, please'],
  ['another encoding', 'json/protobuf', '{"reason":"x"}'],
  ['an encoding of nobody', 'x/unknown', '\u0000'],
])('a note that is %s changes nothing, the workflow says why, and goes on waiting', async (_, encoding, data) => {
  const id = await aGatedCall();
  await signalRaw(id, 'approve', encoding, data);
  await aRefusal(id, 'approve. What came with the signal is not understood');
  expect((await approvalOf(id)).status).toBe('pending');
  await signalRaw(id, 'cancel', 'json/plain', 'null');
  expect(await workflowOf(id).result()).toBe('canceled');
  expect(await approvalOf(id)).toMatchObject({ decidedByType: 'operator', decidedById: null, decisionReason: null });
});

test('a huge note with hidden characters is cut and made visible', async () => {
  const id = await aGatedCall();
  await workflowOf(id).signal('reject', { reason: `a\u202e\u0000${'x'.repeat(200_000)}`, by: 'b\u200b'.repeat(10_000) });
  expect(await workflowOf(id).result()).toBe('rejected');
  const { decisionReason, decidedById } = await approvalOf(id);
  expect([decisionReason.length, decidedById.length]).toEqual([2000, 254]);
  expect(decisionReason.startsWith('a\\u{202e}\\u{0}xx')).toBe(true);
});
