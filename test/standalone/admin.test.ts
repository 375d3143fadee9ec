import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { childEnvironment } from '../../infra/config.ts';
import { callerOf } from '../support/caller.ts';
import { system } from '../support/system.ts';
import { aTenant } from '../support/tenant.ts';

const ADMIN = join(import.meta.dirname, '../../standalone/admin.ts');

/** Runs the command against the shared system; `code` is its exit code. */
async function admin(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const { databaseUrl, secrets } = await system();
  const env = childEnvironment({ ...secrets, DATABASE_URL: databaseUrl }) as NodeJS.ProcessEnv;
  try {
    return { code: 0, ...(await promisify(execFile)(process.execPath, [ADMIN, ...args], { env })) };
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string };
  }
}

test('create-key prints the plain key alone, and the key works as it was asked for', async () => {
  const { orgId, workspaceId, apiUrl, api } = await aTenant();
  const { stdout, stderr } = await admin(
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

test('database-url prints the connection string', async () => {
  expect((await admin('database-url')).stdout).toBe(`${(await system()).databaseUrl}\n`);
});

test.each([
  ['nothing', [], 'Usage'],
  ['an unknown command', ['destroy'], 'Usage'],
  ['no name', ['create-key'], '--name is missing'],
  ['an unknown option', ['create-key', '--name', 'x', '--admin'], "Unknown option '--admin'"],
  ['an organization that is no id', ['create-key', '--name', 'x', '--org', 'mine'], 'mine is not an id'],
  ['an unknown organization', ['create-key', '--name', 'x', '--org', '11111111-1111-1111-1111-111111111111'], 'There is no organization'],
  ['an unknown workspace', ['create-key', '--name', 'x', '--workspaces', '11111111-1111-1111-1111-111111111111'], 'has no workspace'],
  ['a time that is none', ['create-key', '--name', 'x', '--expires-in', 'soon'], 'not a number of seconds'],
])('%s: a clear sentence, exit code 1, nothing on stdout', async (_, args, message) => {
  const { code, stdout, stderr } = await admin(...args);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain(message);
  expect(stderr).not.toContain('    at ');
});
