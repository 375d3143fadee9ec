import type { Person } from '../../../domain/person.ts';
import { describeApprovers, mayReview, recordApprovers } from '../../../domain/policies/approver-rules.ts';
import type { OrgRole, RecordedApprover } from '../../../domain/policies/policy.ts';

const ADA = '0a0a0a0a-0000-4000-8000-00000000000a';
const user = (role: OrgRole, orgId = 'org', id = ADA): Person => ({
  type: 'user',
  id,
  orgId,
  role,
  email: 'ada@example.com',
  displayName: null,
});
const endUser = (externalId: string, workspaceId = 'workspace', orgId = 'org'): Person => {
  return { type: 'end_user', orgId, workspaceId, externalId, displayName: null };
};

const people: Record<string, Person> = {
  owner: user('owner'),
  admin: user('admin'),
  member: user('member'),
  'member of another organization': user('owner', 'elsewhere'),
  'end user of the call': endUser('eu-1'),
  'another end user': endUser('eu-2'),
  'the same external id in another workspace': endUser('eu-1', 'another'),
  'the same external id in another organization': endUser('eu-1', 'workspace', 'elsewhere'),
};

const MEMBERS = ['owner', 'admin', 'member'];

test.each<[string, RecordedApprover[], string[]]>([
  ['no approvers', [], MEMBERS],
  ['webhooks alone', [{ type: 'webhook' }, { type: 'webhook' }], MEMBERS],
  ['one role', [{ type: 'org_role', roles: ['owner'] }], ['owner']],
  ['two roles', [{ type: 'org_role', roles: ['owner', 'admin'] }], ['owner', 'admin']],
  ['every role and a webhook', [{ type: 'org_role', roles: ['owner', 'admin', 'member'] }, { type: 'webhook' }], MEMBERS],
  ['a user', [{ type: 'dashboard_user', userIds: ['somebody', ADA] }], MEMBERS],
  ['a user in capitals', [{ type: 'dashboard_user', userIds: [ADA.toUpperCase()] }], MEMBERS],
  ['an unknown user', [{ type: 'dashboard_user', userIds: ['ada@example.com', 'user-7'] }], []],
  ['the end user', [{ type: 'end_user' }], ['end user of the call']],
  ['a role or the end user', [{ type: 'org_role', roles: ['admin'] }, { type: 'end_user' }], ['admin', 'end user of the call']],
])('%s: only the listed people may decide', (_, approvers, expected) => {
  const approval = { orgId: 'org', workspaceId: 'workspace', endUserId: 'eu-1', approvers };
  const allowed = Object.keys(people).filter((name) => mayReview(approval, people[name]!));
  expect(allowed).toEqual(expected);
});

test('no end user may decide an approval that has no end user', () => {
  const approval = { orgId: 'org', workspaceId: 'workspace', endUserId: null, approvers: [{ type: 'end_user' as const }] };
  expect(Object.values(people).filter((person) => mayReview(approval, person))).toEqual([]);
});

test('a webhook approver is recorded without its address and secret', () => {
  const roles = { type: 'org_role', roles: ['owner'] } as const;
  const webhook = { type: 'webhook', webhookUrl: 'https://hooks.example.com/?key=zq-secret' } as const;
  expect(recordApprovers([{ ...roles, roles: [...roles.roles] }, webhook, { type: 'end_user' }])).toEqual([
    roles,
    { type: 'webhook' },
    { type: 'end_user' },
  ]);
});

test.each<[RecordedApprover[], string]>([
  [[{ type: 'webhook' }], 'any member of the organization except viewers'],
  [
    [{ type: 'org_role', roles: ['owner', 'admin'] }, { type: 'end_user' }],
    'an owner or admin of the organization, or the end user whom the call is for',
  ],
  [[{ type: 'org_role', roles: ['member'] }], 'a reviewer of the organization'],
  [[{ type: 'org_role', roles: ['owner', 'admin', 'member'] }], 'an owner, admin or reviewer of the organization'],
  [[{ type: 'dashboard_user', userIds: ['a'] }], 'the user a'],
  [[{ type: 'dashboard_user', userIds: ['a', 'b'] }], 'one of the users a, b'],
])('the approvers as text: %j', (approvers, words) => {
  expect(describeApprovers(approvers)).toBe(words);
});
