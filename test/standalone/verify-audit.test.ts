import { randomUUID } from 'node:crypto';
import { recordActivity } from '../../commands/audit/record-activity.ts';
import type { Db } from '../../infra/database.ts';
import { insertOrg } from '../../store/orgs.ts';
import { anActivity } from '../api/activity/activity-bed.ts';
import { patientDatabase } from '../support/patient-database.ts';
import { cloneDatabase, testEnvironment } from '../support/system.ts';
import { runAdmin } from './run-admin.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let db: Db;
beforeAll(async () => {
  database = await cloneDatabase();
  db = patientDatabase(database.url, 2);
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});

const verify = async (...args: string[]) =>
  runAdmin({ ...(await testEnvironment()), DATABASE_URL: database.url }, ['verify-audit', ...args]);

async function anOrg(rows: number): Promise<string> {
  const orgId = randomUUID();
  await recordActivity(db, ...Array.from({ length: rows }, () => anActivity(orgId)));
  return orgId;
}

test("the command seals pending rows and prints each organization's head, even if no service runs", async () => {
  const [first, second] = [await anOrg(2), await anOrg(1)];
  const { code, stdout, stderr } = await verify();
  const heads = await db('activity_heads').orderBy('org_id');
  expect(heads.map(({ org_id, position }) => [org_id, position]).sort()).toEqual(
    [
      [first, 2],
      [second, 1],
    ].sort(),
  );
  const lines = heads.map(({ org_id, position, hash }) => `${org_id}: ${position} rows, head ${position}:${hash}\n`);
  expect([code, stdout, stderr]).toEqual([0, lines.join(''), '']);
  expect((await verify('--org', first)).stdout).toBe(lines.find((line) => line.startsWith(first)));
});

test('a problem is reported with its position, and the exit code is 1', async () => {
  const [wrong, whole] = [await anOrg(3), await anOrg(1)];
  await verify();
  const id = (await db('activity').where({ org_id: wrong }).orderBy('id').pluck('id'))[1];
  await db.raw('alter table activity disable trigger user');
  await db('activity').where({ id }).update({ actor_id: 'another' });
  await db.raw('alter table activity enable trigger user');
  const said = `${wrong}: position 2, id ${id}: the hash does not fit: the row, its position or the previous hash was changed\n`;
  expect(await verify('--org', wrong)).toMatchObject({ code: 1, stdout: '', stderr: said });
  const all = await verify();
  expect([all.code, all.stdout]).toEqual([1, '']);
  expect(all.stderr).toContain(said);
  expect(all.stderr).toContain(`${whole}: 1 rows, head 1:`);
});

test('every organization is listed with its missing rows, even an organization without rows', async () => {
  const [{ id: silent }, { id: robbed }] = await Promise.all([insertOrg(db, 'Silent'), insertOrg(db, 'Robbed')]);
  const [policy] = await db('approval_policies')
    .insert({
      ...{ org_id: robbed, name: 'x', enabled: true, priority: 1, decision: 'block', risk_mode: 'always', rules: '{}', approvers: '[]' },
      ...{
        sources: [],
        mcp_server_ids: [],
        workspace_integration_ids: [],
        integration_names: [],
        integration_aliases: [],
        action_names: [],
      },
      ...{
        connection_strategies: [],
        end_user_mode: 'any',
        timeout_seconds: 60,
        default_on_timeout: 'reject',
        approval_access_mode: 'dashboard_only',
      },
    })
    .returning('id');
  expect(await verify('--org', silent)).toMatchObject({ code: 0, stdout: `${silent}: 0 rows\n` });
  const said = `${robbed}: the policy ${policy.id} version 1 has no row policy.created\n`;
  expect(await verify('--org', robbed)).toMatchObject({ code: 1, stdout: '', stderr: said });
  const all = await verify();
  expect([all.code, all.stderr]).toEqual([1, expect.stringContaining(said)]);
  expect(all.stderr).toContain(`${silent}: 0 rows\n`);
  await db('orgs').whereIn('id', [silent, robbed]).delete();
});

test('a broken chain is reported, and other chains are still verified', async () => {
  const stuck = await anOrg(2);
  await verify('--org', stuck);
  await db.raw('alter table activity_heads disable trigger user');
  await db('activity_heads').where({ org_id: stuck }).update({ position: 1 });
  await db.raw('alter table activity_heads enable trigger user');
  await recordActivity(db, anActivity(stuck));
  const other = await anOrg(1);
  const { code, stderr } = await verify();
  expect([code, stderr]).toEqual([1, expect.stringMatching(`${stuck}: position 2, id \\d+: the row lies beyond the head of the chain`)]);
  expect(stderr).toContain(`${other}: 1 rows, head 1:`);
});

test('the command compares a chain with a head that was saved elsewhere', async () => {
  const orgId = await anOrg(2);
  const [, noted] = /head (\S+)\n/.exec((await verify('--org', orgId)).stdout) as unknown as [string, string];
  await recordActivity(db, anActivity(orgId));
  expect(await verify('--org', orgId, '--noted', noted)).toMatchObject({ code: 0 });
  const other = `2:${'0'.repeat(64)}`;
  expect(await verify('--org', orgId, '--noted', other)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/position 2, id \d+: the hash is not the one that was noted/),
  });
});

test.each([
  [['--org', 'mine'], 'mine is not an id'],
  [['--org', '11111111-1111-4111-8111-111111111111'], 'has no audit trail'],
  [['--noted', `1:${'0'.repeat(64)}`], '--noted needs --org'],
  [['--org', '11111111-1111-4111-8111-111111111111', '--noted', 'x'], 'x is not a head'],
])('the arguments %j give an error message, exit code 1, and nothing on stdout', async (args, message) => {
  const { code, stdout, stderr } = await verify(...args);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain(message);
});
