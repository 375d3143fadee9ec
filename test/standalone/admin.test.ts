import { userInfo } from 'node:os';
import { callerOf } from '../support/caller.ts';
import { system } from '../support/system.ts';
import { aTenant } from '../support/tenant.ts';
import { admin, adminProcess } from './run-admin.ts';

test('create-key prints only the plain key, and the key has the requested settings', async () => {
  const { orgId, workspaceId, apiUrl, api } = await aTenant();
  const { stdout, stderr } = await adminProcess(
    'create-key',
    '--name',
    'Ops',
    '--org',
    orgId,
    '--workspaces',
    workspaceId,
    '--decide',
    '--expires-in',
    '3600',
  );
  expect([stdout, stderr]).toEqual([expect.stringMatching(/^svc_[0-9A-Za-z]{49}\n$/), '']);
  const caller = callerOf(apiUrl, stdout.trim());
  expect((await caller.must(200).get('/api/v1/workspaces')).total).toBe(1);
  expect((await caller.get('/api/v1/api-keys')).status).toBe(403);
  const { apiKeys } = await api.must(200).get('/api/v1/api-keys');
  expect(apiKeys[1].permissions).toEqual({ scope: 'workspace', workspaceIds: [workspaceId], approvals: { decide: true } });
  const lifetimeSeconds = (Date.parse(apiKeys[1].expiresAt) - Date.parse(apiKeys[1].createdAt)) / 1000;
  expect(Math.round(lifetimeSeconds / 60)).toBe(60);
});

test('create-org prints the organization, its workspace and an org-wide key', async () => {
  const { apiUrl } = await system();
  const org = JSON.parse((await admin('create-org', '--name', 'New')).stdout);
  expect(Object.keys(org)).toEqual(['orgId', 'workspaceId', 'plainKey']);
  const { workspaces } = await callerOf(apiUrl, org.plainKey).must(200).get('/api/v1/workspaces');
  expect(workspaces).toEqual([expect.objectContaining({ id: org.workspaceId, orgId: org.orgId })]);
});

test('add-user, list-users and remove-user manage the members of an organization, with audit entries', async () => {
  const { orgId, api } = await aTenant();
  const add = (...args: string[]) => admin('add-user', '--org', orgId, ...args).then(({ stdout }) => JSON.parse(stdout));
  const ada = await add('--email', 'Ada@example.com', '--role', 'member', '--name', 'Ada \u001b[2JLovelace');
  expect(ada).toEqual({
    userId: expect.any(String),
    orgId,
    email: 'Ada@example.com',
    displayName: 'Ada \u001b[2JLovelace',
    role: 'member',
  });
  const aboutAda = { userId: ada.userId, email: ada.email, displayName: ada.displayName };
  const bob = await add('--email', `bob-${orgId}@example.com`, '--role', 'owner');
  expect(await add('--email', 'ada@EXAMPLE.com', '--role', 'admin')).toMatchObject({ userId: ada.userId, role: 'admin' });
  const list = await admin('list-users', '--org', orgId);
  expect(list.stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['USER', 'EMAIL', 'ROLE', 'NAME'],
    [ada.userId, 'Ada@example.com', 'admin', 'Ada \\u{1b}[2JLovelace'],
    [bob.userId, bob.email, 'owner'],
    [''],
  ]);
  expect(await admin('remove-user', '--org', orgId, '--email', 'ADA@example.com')).toMatchObject({ code: 0, stderr: '' });
  expect((await admin('list-users', '--org', orgId)).stdout).not.toContain('Ada');
  const { activity } = await api.must(200).get('/api/v1/activity');
  expect(activity.map(({ type, details }: { type: string; details: object }) => [type, details])).toEqual([
    ['member.removed', { ...aboutAda, role: 'admin' }],
    ['member.added', { ...aboutAda, role: 'admin' }],
    ['member.added', expect.objectContaining({ userId: bob.userId, role: 'owner' })],
    ['member.added', { ...aboutAda, role: 'member' }],
  ]);
  for (const { actorType, actorId, workspaceId } of activity)
    expect([actorType, actorId, workspaceId]).toEqual(['operator', userInfo().username, null]);
});

test('database-url prints the connection string', async () => {
  expect((await admin('database-url')).stdout).toBe(`${(await system()).databaseUrl}\n`);
});

test('admin prints its usage, and approvals --help prints only the commands for approvals', async () => {
  const [none, ...asked] = await Promise.all([[], ['--help'], ['-h'], ['approvals', '--help']].map((args) => admin(...args)));
  expect(none).toMatchObject({ code: 0, stderr: '' });
  for (const name of ['create-key', 'approvals show', 'verify-audit']) expect(none!.stdout).toContain(`  ${name}`);
  const [long, short, one] = asked as [typeof none, typeof none, typeof none];
  expect([long, short]).toEqual([none, none]);
  expect(one!.stdout.split('\n').slice(1, -1)).toEqual(expect.arrayContaining([expect.stringMatching(/^ {2}approvals show ID/)]));
  expect(one!.stdout).not.toContain('create-key');
});

test.each([
  ['an unknown command', ['destroy'], 'There is no command destroy.'],
  ['no name', ['create-key'], '--name is missing'],
  ['an unknown option', ['create-key', '--name', 'x', '--admin'], "Unknown option '--admin'"],
  ['an organization that is not an id', ['create-key', '--name', 'x', '--org', 'mine'], 'mine is not an id'],
  ['an unknown organization', ['create-key', '--name', 'x', '--org', '11111111-1111-1111-1111-111111111111'], 'There is no organization'],
  ['an unknown workspace', ['create-key', '--name', 'x', '--workspaces', '11111111-1111-1111-1111-111111111111'], 'has no workspace'],
  ['a user without a role', ['add-user', '--email', 'ada@example.com'], '--role is missing'],
  ['an unknown role', ['add-user', '--email', 'ada@example.com', '--role', 'root'], 'root is not one of owner, admin, member'],
  ['an invalid e-mail address', ['add-user', '--email', 'ada', '--role', 'owner'], 'ada is not an e-mail address'],
  ['an empty name', ['add-user', '--email', 'ada@example.com', '--role', 'owner', '--name', ' '], 'a name has 1 to 200 characters'],
  ['a user who is not a member', ['remove-user', '--email', 'nobody@example.com'], 'is not a member of the organization'],
  ['an unknown operation on approvals', ['approvals', 'destroy'], 'approvals: destroy is not a known operation'],
  ['a decision without an approval', ['approvals', 'approve'], 'The ID of the approval is missing'],
  ['two approvals in one command', ['approvals', 'approve', 'apr_1', 'apr_2'], "Unexpected argument 'apr_2'"],
  ['an unknown approval', ['approvals', 'show', 'apr_1'], 'There is no approval apr_1.'],
  ['an unknown status', ['approvals', '--status', 'open'], 'open is not one of pending'],
  ['a limit that is too high', ['approvals', 'list', '--limit', '101'], '101 is not a number between 1 and 100'],
  ['an invalid cursor', ['approvals', '--cursor', '2026-01-01T00:00:00.000000Z'], 'is not a cursor that a list printed'],
  ['an option without its value', ['approvals', 'approve', 'apr_1', '--reason', '--json'], 'ambiguous'],
  ['a link without a member', ['approvals', 'link', 'apr_1'], '--as is missing'],
  ['a reason that is too long', ['approvals', 'reject', 'apr_1', '--reason', 'x'.repeat(2001)], 'at most 2000 characters'],
  ['an invalid time', ['create-key', '--name', 'x', '--expires-in', 'soon'], 'not a number of seconds'],
])('%s: an error message, exit code 1, and nothing on stdout', async (_, args, message) => {
  const { code, stdout, stderr } = await admin(...args);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain(message);
  expect(stderr).not.toContain('    at ');
  expect(stderr.trim().split('\n').length).toBeLessThan(3);
});

test('as a process, admin answers an unknown command with exit code 1 and an error on stderr', async () => {
  const answer = { code: 1, stdout: '', stderr: 'There is no command destroy.\nSee --help for the usage.\n' };
  expect(await adminProcess('destroy')).toMatchObject(answer);
});
