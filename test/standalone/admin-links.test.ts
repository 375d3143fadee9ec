import { createOrg } from '../../commands/access/create-org.ts';
import { openTokens } from '../../infra/tokens.ts';
import { appClient } from '../api/pages/app/app-bed.ts';
import { patientDatabase } from '../support/patient-database.ts';
import { system, testEnvironment } from '../support/system.ts';
import { admin, adminProcess } from './run-admin.ts';

const PASSWORD = 'a sufficiently long one';

async function anEmptyOrg(): Promise<string> {
  const { databaseUrl } = await system();
  const [db, { TOKEN_PEPPER }] = [patientDatabase(databaseUrl), await testEnvironment()];
  const { orgId } = await createOrg({ db, tokens: openTokens(TOKEN_PEPPER!) }, 'Empty');
  await db.destroy();
  return orgId;
}

function parse(stdout: string) {
  const { pathname, searchParams } = new URL(stdout.trim());
  return { path: pathname.replace(/^\/app/, ''), token: searchParams.get('token')! };
}

test('setup-link prints only the link, and fails after an owner has signed in', async () => {
  const [orgId, { apiUrl }] = [await anEmptyOrg(), await system()];
  const former = await admin('setup-link', '--org', orgId);
  const { code, stdout, stderr } = await adminProcess('setup-link', '--org', orgId);
  expect([code, stdout, stderr]).toEqual([0, expect.stringMatching(/^https?:\/\/\S+\/app\/setup\?token=stp_\w+\n$/), '']);

  const { path, token } = parse(stdout);
  const client = appClient({ apiUrl });
  expect((await client.get(`${path}?token=${parse(former.stdout).token}`)).status).toBe(404);
  expect((await client.post(path, { token, name: 'Ada', email: `ada-${orgId}@example.com`, password: PASSWORD })).status).toBe(303);
  expect((await client.get('')).status).toBe(200);
  expect(await admin('setup-link', '--org', orgId)).toEqual({
    ...{ code: 1, stdout: '', stderr: 'An owner has signed in already. Use sign-in-link.\n' },
  });
});

test('sign-in-link prints only the link of a member, and the link works once', async () => {
  const [orgId, { apiUrl }] = [await anEmptyOrg(), await system()];
  const email = `bob-${orgId}@example.com`;
  await admin('add-user', '--org', orgId, '--email', email, '--role', 'viewer');
  const { code, stdout, stderr } = await adminProcess('sign-in-link', '--org', orgId, '--email', email.toUpperCase());
  expect([code, stdout, stderr]).toEqual([0, expect.stringMatching(/^https?:\/\/\S+\/app\/sign-in\/link\?token=sil_\w+\n$/), '']);

  const { path, token } = parse(stdout);
  const client = appClient({ apiUrl });
  expect((await client.get(`${path}?token=${token}`)).text).toContain(`Sign in as ${email} ?`);
  expect((await client.post(path, { token })).status).toBe(303);
  expect((await client.get('')).status).toBe(200);
  expect((await appClient({ apiUrl }).post(path, { token })).status).toBe(404);
  const none = await admin('sign-in-link', '--org', orgId, '--email', 'nobody@example.com');
  expect([none.code, none.stdout]).toEqual([1, '']);
});
