import { randomUUID } from 'node:crypto';
import { recordActivity } from '../../../commands/audit/record-activity.ts';
import { hashActivity, sealActivity } from '../../../commands/audit/seal-activity.ts';
import { verifyActivity } from '../../../commands/audit/verify-activity.ts';
import type { Db } from '../../../infra/database.ts';
import { findHead, listSealed } from '../../../store/activity-chain.ts';
import { anActivity } from '../../api/activity/activity-bed.ts';
import { patientDatabase } from '../../support/patient-database.ts';
import { cloneDatabase } from '../../support/system.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let db: Db;
beforeAll(async () => {
  database = await cloneDatabase();
  db = patientDatabase(database.url, 10);
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});

const TABLES = ['activity', 'activity_seals', 'activity_heads', 'activity_unsealed'];

/** Runs the SQL without triggers, which only the owner of the tables can switch off. */
async function tamper(sql: string, bindings: Record<string, unknown>): Promise<void> {
  await db.transaction(async (tx) => {
    for (const table of TABLES) await tx.raw('alter table ?? disable trigger user', [table]);
    for (const statement of sql.split(';')) expect((await tx.raw(statement, bindings)).rowCount).toBeGreaterThan(0);
    for (const table of TABLES) await tx.raw('alter table ?? enable trigger user', [table]);
  });
}

async function aChain(rows = 5): Promise<{ orgId: string; ids: number[] }> {
  const orgId = randomUUID();
  await recordActivity(db, ...Array.from({ length: rows }, (_, row) => anActivity(orgId, { details: { row } })));
  await sealActivity(db);
  return { orgId, ids: await db('activity').where({ org_id: orgId }).orderBy('id').pluck('id') };
}

/** Each problem is [position, row number from 1, description]. Row number 0: not in `ids`. */
async function problemsOf({ orgId, ids }: { orgId: string; ids: number[] }, noted?: { position: number; hash: string }) {
  const found: [number | null, number | null, string][] = [];
  await verifyActivity(db, orgId, ({ position, id, problem }) => found.push([position, id && ids.indexOf(id) + 1, problem]), noted);
  return found;
}

const DOES_NOT_FIT = 'the hash does not fit: the row, its position or the previous hash was changed';

test('an untouched chain is valid', async () => {
  expect(await problemsOf(await aChain())).toEqual([]);
});

test.each([
  ['details', `update activity set details = '{"row":7}' where id = :third`],
  ['details, by a space', `update activity set details = '{"row": 2}' where id = :third`],
  ['the type', `update activity set type = 'approval.approved' where id = :third`],
  ['the kind of actor', `update activity set actor_type = 'operator' where id = :third`],
  ['the actor', `update activity set actor_id = 'another' where id = :third`],
  ['the workspace', 'update activity set workspace_id = gen_random_uuid() where id = :third'],
  ['the approval', `update activity set approval_id = 'apr_other' where id = :third`],
  ['the policy', 'update activity set policy_id = gen_random_uuid() where id = :third'],
  ['the version of the policy', 'update activity set policy_version = 2 where id = :third'],
  ['the call', 'update activity set call_id = gen_random_uuid() where id = :third'],
  ['the run', `update activity set code_run_id = 'crun_other' where id = :third`],
  ['the delivery', 'update activity set delivery_id = gen_random_uuid() where id = :third'],
  ['the integration', `update activity set integration_name = 'other' where id = :third`],
  ['the action', `update activity set action_name = 'other' where id = :third`],
  ['the time, by a microsecond', `update activity set created_at = created_at + interval '1 microsecond' where id = :third`],
])('a changed row is found: %s', async (_, sql) => {
  const chain = await aChain();
  await tamper(sql, { third: chain.ids[2] });
  expect(await problemsOf(chain)).toEqual([[3, 3, DOES_NOT_FIT]]);
});

test.each<[string, string, [number | null, number | null, string][]]>([
  ['deleted in the middle', 'delete from activity where id = :third', [[3, 3, 'the row is missing']]],
  [
    'deleted in the middle, with their seals',
    'delete from activity where id = :third; delete from activity_seals where activity_id = :third',
    [[3, null, 'position 3 is missing']],
  ],
  [
    'deleted at the end with their seals',
    'delete from activity where id in (:fourth, :fifth); delete from activity_seals where activity_id in (:fourth, :fifth)',
    [[4, null, 'positions 4 to 5 are missing']],
  ],
  [
    'all deleted, with their seals',
    'delete from activity where org_id = :orgId; delete from activity_seals where org_id = :orgId',
    [[1, null, 'positions 1 to 5 are missing']],
  ],
  [
    'swapped',
    `update activity_seals set activity_id = -activity_id where activity_id in (:third, :fourth);
     update activity_seals set activity_id = case -activity_id when :third then :fourth::bigint else :third::bigint end where activity_id < 0`,
    [
      [3, 4, DOES_NOT_FIT],
      [4, 3, DOES_NOT_FIT],
    ],
  ],
  [
    'changed and rehashed, which breaks the next row',
    `update activity set actor_id = 'another' where id = :third; update activity_seals set hash = :hash where activity_id = :third`,
    [
      [3, 3, DOES_NOT_FIT],
      [4, 4, DOES_NOT_FIT],
    ],
  ],
  [
    'moved to another organization',
    'update activity set org_id = gen_random_uuid() where id = :third',
    [[3, 3, expect.stringMatching(/^the row belongs to the organization [-0-9a-f]{36} now$/) as unknown as string]],
  ],
  [
    'moved to another organization, with their seals',
    `update activity set org_id = '11111111-1111-4111-8111-111111111111' where id = :third;
     update activity_seals set org_id = '11111111-1111-4111-8111-111111111111' where activity_id = :third`,
    [[3, null, 'position 3 is missing']],
  ],
  [
    'truncated with the head reset',
    `delete from activity where id in (:fourth, :fifth); delete from activity_seals where activity_id in (:fourth, :fifth);
     update activity_heads set position = 3 where org_id = :orgId`,
    [[3, null, 'the head of the chain has another hash']],
  ],
  [
    'left after the head was reset',
    'update activity_heads set position = 4, hash = (select hash from activity_seals where activity_id = :fourth) where org_id = :orgId',
    [[5, 5, 'the row lies beyond the head of the chain']],
  ],
])('rows that were %s are found', async (_, sql, expected) => {
  const chain = await aChain();
  const { orgId, ids } = chain;
  await tamper(sql, { orgId, third: ids[2], fourth: ids[3], fifth: ids[4], hash: 'f'.repeat(64) });
  expect(await problemsOf(chain)).toEqual(expected);
});

const INSERT = `insert into activity (org_id, type, actor_type, details) values (:orgId, 'approval.approved', 'operator', '{}')`;

test('a row inserted outside the service is found', async () => {
  const chain = await aChain();
  await tamper(INSERT, { orgId: chain.orgId });
  expect(await problemsOf(chain)).toEqual([[null, 0, 'the row is in no chain: the service did not write it']]);
});

test('an inserted row is found, even if all later rows move up', async () => {
  const chain = await aChain();
  await tamper(
    `${INSERT}; update activity_seals set position = position + 100 where org_id = :orgId and position > 2;
     update activity_seals set position = position - 99 where org_id = :orgId and position > 100;
     insert into activity_seals (org_id, position, activity_id, hash) select org_id, 3, id, :hash from activity where org_id = :orgId and actor_type = 'operator';
     update activity_heads set position = 6 where org_id = :orgId`,
    { orgId: chain.orgId, hash: 'f'.repeat(64) },
  );
  expect((await problemsOf(chain)).map(([position]) => position)).toEqual([3, 4, 5, 6]);
});

test('a row deleted before it was sealed is found', async () => {
  const chain = await aChain();
  await recordActivity(db, anActivity(chain.orgId));
  const [id] = await db('activity_unsealed').where({ org_id: chain.orgId }).pluck('activity_id');
  await tamper('delete from activity where id = :id', { id });
  expect(await sealActivity(db)).toBe(0);
  expect(await problemsOf({ orgId: chain.orgId, ids: [id] })).toEqual([[null, 1, 'the row was removed before it was sealed']]);
});

test('a rebuilt chain looks valid, but does not match a head that was saved elsewhere', async () => {
  const chain = await aChain();
  const noted = (await findHead(db, chain.orgId)) as { position: number; hash: string };
  expect(await problemsOf(chain, noted)).toEqual([]);
  await tamper(`update activity set actor_id = 'another' where id = :third`, { third: chain.ids[2] });
  let previous: string | null = null;
  for (const { position, activityId, activity } of await listSealed(db, chain.orgId, { after: 0, upTo: 5, limit: 5 })) {
    previous = hashActivity(previous, position, activity!);
    await tamper('update activity_seals set hash = :hash where activity_id = :activityId', { hash: previous, activityId });
  }
  await tamper('update activity_heads set hash = :hash where org_id = :orgId', { hash: previous, orgId: chain.orgId });
  expect(await problemsOf(chain)).toEqual([]);
  expect(await problemsOf(chain, noted)).toEqual([[5, 5, 'the hash is not the one that was noted: the chain was computed again']]);
  const beyond = { position: 9, hash: noted.hash };
  expect(await problemsOf(chain, beyond)).toEqual([[9, null, 'the chain ends at 5, before the head that was noted']]);
});

test('a chain with more rows than one page is verified to its end', async () => {
  const chain = await aChain(2300);
  expect(await problemsOf(chain)).toEqual([]);
  await tamper(`update activity set actor_id = 'another' where id = :id`, { id: chain.ids[2200] });
  expect(await problemsOf(chain)).toEqual([[2201, 2201, DOES_NOT_FIT]]);
});
