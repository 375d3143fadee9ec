import { addUser } from '../../../commands/access/add-user.ts';
import { createOrg } from '../../../commands/access/create-org.ts';
import { callerLinks, decidingLinks, personalLink } from '../../../commands/approvals/approval-links.ts';
import { decideAsOperator } from '../../../commands/approvals/decide-as-operator.ts';
import { decideByLink } from '../../../commands/approvals/decide-by-link.ts';
import { openApprovalLink } from '../../../commands/approvals/open-approval-link.ts';
import { issueOperatorCode } from '../../../commands/approvals/operator-code.ts';
import { OUTCOME } from '../../../domain/approval.ts';
import { nameOfPerson, refOfPerson, type UserPerson } from '../../../domain/person.ts';
import type { Approver, OrgRole } from '../../../domain/policies/policy.ts';
import { findApprovalById } from '../../../store/approvals.ts';
import { deleteMembership, listMembers } from '../../../store/memberships.ts';
import { type ApiBed, openApiBed } from '../../api/api-bed.ts';

let bed: ApiBed;
beforeAll(async () => {
  bed = await openApiBed();
  for (const externalId of ['eu-1', 'eu-2'])
    await bed.api.must(201).post('/api/v1/end-users', { workspaceId: bed.workspaceId, externalId });
});
afterAll(() => bed.close());

const SOMEBODY = { type: 'operator', id: 'root' } as const;

let count = 0;

/** Creates an approval whose policy then loses its approvers and is disabled. */
async function anApproval(approvers: Approver[], fields: object = {}): Promise<string> {
  count += 1;
  const { policy } = await bed.api.must(200).post('/api/v1/approval-policies', {
    name: `P${count}`,
    workspaceId: bed.workspaceId,
    integrationNames: ['datetime'],
    approvers,
    ...fields,
  });
  const call = { integrationName: 'datetime', actionName: 'parse_date', workspaceId: bed.workspaceId, endUserId: 'eu-1' };
  const { approval } = await bed.api
    .must(202)
    .post('/api/v1/actions/execute', { ...call, input: { dateString: `2026-01-01T00:00:${count}` } });
  await bed.api.must(200).patch(`/api/v1/approval-policies/${policy.id}`, { approvers: [], enabled: false });
  return approval.id;
}

async function aUser(role: OrgRole, orgId = bed.orgId): Promise<UserPerson> {
  count += 1;
  return addUser(bed.gateway.db, { orgId, email: `user-${count}@example.com`, displayName: null, role, by: SOMEBODY });
}

const anEndUser = (externalId: string) => ({
  ...{ type: 'end_user' as const, orgId: bed.orgId, workspaceId: bed.workspaceId, externalId, displayName: null },
});

async function open(approvalId: string, person: Parameters<typeof personalLink>[2]) {
  const { pathname, searchParams } = new URL(personalLink(bed.gateway, { id: approvalId }, person));
  expect(pathname).toBe(`/approve/${approvalId}`);
  return openApprovalLink(bed.gateway, approvalId, searchParams.get('token')!, searchParams.get('as')!);
}

const refusalsOf = (approvalId: string) =>
  bed.gateway
    .db('activity')
    .where({ approval_id: approvalId, type: 'approval.decision_refused' })
    .orderBy('id')
    .select('actor_type', 'actor_id', 'details');

test('an approval keeps the approvers that its policy named at the time of the request, without webhook addresses', async () => {
  const webhookUrl = 'https://hooks.example.com/zq-webhook';
  const id = await anApproval([
    { type: 'org_role', roles: ['owner'] },
    { type: 'webhook', webhookUrl },
  ]);
  expect((await findApprovalById(bed.gateway.db, id))!.approvers).toEqual([{ type: 'org_role', roles: ['owner'] }, { type: 'webhook' }]);
  expect(JSON.stringify(await bed.gateway.db('approvals').where({ id }))).not.toContain('zq-webhook');
});

test('a member whom the policy names can decide by personal link in any access mode', async () => {
  for (const approvalAccessMode of ['dashboard_only', 'dashboard_and_hosted_link', 'hosted_link_only']) {
    const admin = await aUser('admin');
    const id = await anApproval([{ type: 'org_role', roles: ['admin'] }], { approvalAccessMode });
    const link = await open(id, admin);
    expect(link).toMatchObject({ viewer: { id: admin.id, role: 'admin' }, refusal: null });
    await decideByLink(bed.gateway, link!, { decision: 'reject', reason: 'no' });
    const { approval } = await bed.api.must(200).get(`/api/v1/approvals/${id}`);
    expect(approval).toMatchObject({ status: 'rejected', decidedByType: 'user', decidedById: admin.id, decisionReason: 'no' });
  }
});

test('a member whom the policy does not name is refused, and the refusal is recorded', async () => {
  const member = await aUser('member');
  const id = await anApproval([{ type: 'org_role', roles: ['owner', 'admin'] }]);
  const link = await open(id, member);
  expect(link).toMatchObject({
    viewer: { id: member.id },
    refusal: 'The policy asks for an owner or admin of the organization to decide this.',
  });
  await expect(decideByLink(bed.gateway, link!, { decision: 'approve', reason: 'in a hurry' })).rejects.toMatchObject({
    code: 'APPROVAL_DECISION_SCOPE_REQUIRED',
    details: { approvers: [{ type: 'org_role', roles: ['owner', 'admin'] }] },
  });
  expect((await findApprovalById(bed.gateway.db, id))!.status).toBe('pending');
  const details = { decision: 'approve', because: 'APPROVAL_DECISION_SCOPE_REQUIRED', reason: 'in a hurry' };
  expect(await refusalsOf(id)).toEqual([{ actor_type: 'user', actor_id: member.id, details }]);
});

test('if the policy names the end user, only the end user of the call can decide', async () => {
  const id = await anApproval([{ type: 'end_user' }]);
  expect((await open(id, anEndUser('eu-2')))!.refusal).toContain('the end user whom the call is for');
  expect((await open(id, await aUser('owner')))!.refusal).not.toBeNull();
  const link = await open(id, anEndUser('eu-1'));
  await decideByLink(bed.gateway, link!, { decision: 'approve' });
  expect(await findApprovalById(bed.gateway.db, id)).toMatchObject({ status: 'approved', decidedByType: 'end_user', decidedById: 'eu-1' });
});

test('a link that may decide and a key with the decision scope can decide under any policy', async () => {
  const nobody: Approver[] = [{ type: 'dashboard_user', userIds: ['nobody'] }];
  const byKey = await anApproval(nobody);
  await bed.api.must(200).post(`/api/v1/approvals/${byKey}/approve`);
  const id = await anApproval(nobody);
  const approval = (await findApprovalById(bed.gateway.db, id))!;
  const token = new URL(decidingLinks(bed.gateway, approval).hostedApprovalUrl!).searchParams.get('token')!;
  await decideByLink(bed.gateway, (await openApprovalLink(bed.gateway, id, token))!, { decision: 'cancel' });
  expect(await findApprovalById(bed.gateway.db, id)).toMatchObject({ status: 'canceled', decidedByType: 'hosted_link', decidedById: null });
});

test('a personal link opens one approval for one person, until the membership of this person ends', async () => {
  const [ada, bob, leaver] = [await aUser('owner'), await aUser('owner'), await aUser('owner')];
  const stranger = await aUser('owner', (await createOrg(bed.gateway, 'Other')).orgId);
  const [id, other] = [await anApproval([]), await anApproval([])];
  const tokenOf = (approvalId: string, person: UserPerson) =>
    new URL(personalLink(bed.gateway, { id: approvalId }, person)).searchParams.get('token')!;
  const own = new URL(callerLinks(bed.gateway, { id, approvalAccessMode: 'hosted_link_only' }).hostedApprovalUrl!).searchParams.get(
    'token',
  )!;
  await deleteMembership(bed.gateway.db, bed.orgId, leaver.id);
  const tries: [string, string, string | undefined][] = [
    [id, tokenOf(id, ada), refOfPerson(bob)],
    [id, tokenOf(id, ada), undefined],
    [id, tokenOf(other, ada), refOfPerson(ada)],
    [id, own, refOfPerson(ada)],
    [id, tokenOf(id, leaver), refOfPerson(leaver)],
    [id, tokenOf(id, stranger), refOfPerson(stranger)],
    [id, tokenOf(id, ada), `user:${ada.id.toUpperCase()}`],
    [id, tokenOf(id, ada), 'user:'],
    [id, 'apr_link_v1_nonsense', refOfPerson(ada)],
  ];
  for (const [approvalId, token, as] of tries) expect(await openApprovalLink(bed.gateway, approvalId, token, as)).toBeUndefined();
  for (const externalId of ['', 'nobody', `user:${ada.id}`, "'; drop table users; --", 'a\u202eb'])
    expect(await open(id, anEndUser(externalId))).toBeUndefined();
  expect(await open(id, ada)).toMatchObject({ viewer: { id: ada.id }, approval: { id } });
});

test('of two concurrent decisions, one counts and the other is refused', async () => {
  const id = await anApproval([]);
  const links = await Promise.all([await aUser('owner'), await aUser('member')].map((person) => open(id, person)));
  const outcomes = await Promise.allSettled(links.map((link) => decideByLink(bed.gateway, link!, { decision: 'approve' })));
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(outcomes.find((outcome) => outcome.status === 'rejected')!.reason).toMatchObject({ code: 'APPROVAL_ALREADY_DECIDED' });
});

test("an operator code for a member decides as that member, within the policy's approver rules", async () => {
  const [owner, member] = [await aUser('owner'), await aUser('member')];
  const approvalId = await anApproval([{ type: 'org_role', roles: ['owner'] }]);
  const say = async (userId: string | null) => {
    const code = await issueOperatorCode(bed.gateway, { approvalId, userId, madeBy: 'root' });
    return decideAsOperator(bed.gateway, { approvalId, decision: 'approve', code, reason: 'now', sender: 'pid@host' });
  };
  expect(await say(member.id)).toContain('The policy asks for an owner');
  expect(await say(owner.id)).toBeNull();
  expect(await findApprovalById(bed.gateway.db, approvalId)).toMatchObject({
    ...{ status: 'approved', decidedByType: 'user', decidedById: owner.id },
  });
  expect(await say(owner.id)).toBeNull(); // the signal is repeated, as after a crash
  expect(await say(null)).toContain('approved already');
  expect(await refusalsOf(approvalId)).toMatchObject([
    {
      actor_id: member.id,
      details: { decision: 'approve', because: 'APPROVAL_DECISION_SCOPE_REQUIRED', reason: 'now', sender: 'pid@host' },
    },
    { actor_type: 'operator', actor_id: 'root', details: { because: 'APPROVAL_ALREADY_DECIDED', reason: 'now' } },
  ]);
});

test('a signal about an unknown approval also uses up its code', async () => {
  const [owner, approvalId] = [await aUser('owner'), await anApproval([])];
  const code = await issueOperatorCode(bed.gateway, { approvalId, userId: owner.id, madeBy: 'root' });
  const asked = { decision: 'approve', code, sender: 'pid@host' } as const;
  expect(await decideAsOperator(bed.gateway, { ...asked, approvalId: 'apr_gone' })).toBe('There is no such approval.');
  expect(await decideAsOperator(bed.gateway, { ...asked, approvalId })).toContain('used before');
});

test.each(['reject', 'cancel'] as const)(
  '%s by a signal is recorded as an unverified operator decision, with its sender',
  async (decision) => {
    const approvalId = await anApproval([{ type: 'org_role', roles: ['owner'] }]);
    expect(await decideAsOperator(bed.gateway, { approvalId, decision, sender: 'pid@host' })).toBeNull();
    const settled = await bed.gateway
      .db('activity')
      .where({ approval_id: approvalId, type: `approval.${OUTCOME[decision]}` })
      .first();
    expect(settled).toMatchObject({ actor_type: 'operator', actor_id: 'unverified', details: { sender: 'pid@host' } });
  },
);

test('an e-mail address in any letter case belongs to one user, who has a role in each organization', async () => {
  const { orgId } = await createOrg(bed.gateway, 'Second');
  const first = await addUser(bed.gateway.db, { orgId, email: 'Ada@Example.com', displayName: 'Ada', role: 'member', by: SOMEBODY });
  const again = await addUser(bed.gateway.db, { orgId, email: 'ada@example.COM', displayName: null, role: 'owner', by: SOMEBODY });
  const elsewhere = await addUser(bed.gateway.db, {
    orgId: bed.orgId,
    email: 'ada@example.com',
    displayName: null,
    role: 'admin',
    by: SOMEBODY,
  });
  expect([again.id, elsewhere.id]).toEqual([first.id, first.id]);
  expect(await listMembers(bed.gateway.db, orgId)).toEqual([
    {
      ...{ type: 'user', id: first.id, orgId, role: 'owner', email: 'Ada@Example.com', displayName: 'Ada' },
      ...{ joinedAt: null, createdAt: expect.any(Date), hasSignedIn: false },
    },
  ]);
  expect(nameOfPerson(elsewhere)).toBe('Ada');
});
