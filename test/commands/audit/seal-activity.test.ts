import { randomUUID } from 'node:crypto';
import { recordActivity } from '../../../commands/audit/record-activity.ts';
import { sealActivity } from '../../../commands/audit/seal-activity.ts';
import { type ChainProblem, verifyActivity } from '../../../commands/audit/verify-activity.ts';
import type { Db } from '../../../infra/database.ts';
import { anActivity } from '../../api/activity/activity-bed.ts';
import { patientDatabase } from '../../support/patient-database.ts';
import { cloneDatabase } from '../../support/system.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let db: Db;
beforeAll(async () => {
  database = await cloneDatabase();
  db = patientDatabase(database.url, 20);
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});

async function problemsOf(orgId: string): Promise<ChainProblem[]> {
  const found: ChainProblem[] = [];
  await verifyActivity(db, orgId, (problem) => found.push(problem));
  return found;
}

const positionsOf = (orgId: string): Promise<number[]> =>
  db('activity_seals').where({ org_id: orgId }).orderBy('position').pluck('position');
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

test('rows from many connections, sealed by two concurrent sealers, get consecutive unique positions', async () => {
  const orgIds = [randomUUID(), randomUUID()];
  let isAdding = true;
  const appending = Promise.all(
    Array.from({ length: 12 }, async (_, writer) => {
      for (let round = 0; round < 25; round += 1) {
        const orgId = orgIds[(writer + round) % 2]!;
        await db.transaction(async (tx) => {
          await recordActivity(tx, anActivity(orgId, { details: { writer, round } }), anActivity(orgId, { details: { second: true } }));
        });
      }
    }),
  ).finally(() => {
    isAdding = false;
  });
  const sealer = async () => {
    while (isAdding) await sealActivity(db);
    return sealActivity(db);
  };
  await Promise.all([appending, sealer(), sealer()]);
  for (const orgId of orgIds) {
    expect(await positionsOf(orgId)).toEqual(upTo(300));
    expect(await problemsOf(orgId)).toEqual([]);
  }
  expect(await db('activity_unsealed').select()).toEqual([]);
});

test('a row is sealed after its commit, even if rows written later were sealed before', async () => {
  const orgId = randomUUID();
  const late = await db.transaction();
  await recordActivity(late, anActivity(orgId, { details: { which: 'late' } }));
  await recordActivity(db, anActivity(orgId, { details: { which: 'soon' } }));
  expect(await sealActivity(db)).toBe(1);
  await late.commit();
  expect(await sealActivity(db)).toBe(1);
  const [first, second] = await db('activity').where({ org_id: orgId }).orderBy('id').pluck('details');
  expect([first.which, second.which]).toEqual(['late', 'soon']);
  expect(await positionsOf(orgId)).toEqual([1, 2]);
  expect(await problemsOf(orgId)).toEqual([]);
});

test('another process continues a chain, also with more rows than fit into one batch', async () => {
  const orgId = randomUUID();
  await recordActivity(db, anActivity(orgId));
  await sealActivity(db);
  const other = patientDatabase(database.url, 2);
  try {
    await recordActivity(other, ...Array.from({ length: 1200 }, () => anActivity(orgId)));
    expect(await sealActivity(other)).toBe(1200);
  } finally {
    await other.destroy();
  }
  expect(await positionsOf(orgId)).toEqual(upTo(1201));
  expect(await problemsOf(orgId)).toEqual([]);
});

test('a sweep that finds no unsealed rows sends one query', async () => {
  await sealActivity(db);
  const asked: string[] = [];
  const listen = ({ sql }: { sql: string }) => asked.push(sql);
  db.on('query', listen);
  expect(await sealActivity(db)).toBe(0);
  db.off('query', listen);
  expect(asked).toHaveLength(1);
});

test('a rolled back transaction leaves no rows', async () => {
  const orgId = randomUUID();
  await expect(
    db.transaction(async (tx) => {
      await recordActivity(tx, anActivity(orgId));
      throw new Error('roll back');
    }),
  ).rejects.toThrow('roll back');
  expect(await db('activity').where({ org_id: orgId })).toEqual([]);
});

test.each([
  ['activity', 'update activity set actor_id = null'],
  ['activity', 'delete from activity'],
  ['activity', 'truncate activity'],
  ['activity_seals', "update activity_seals set hash = 'x'"],
  ['activity_seals', 'delete from activity_seals'],
  ['activity_seals', 'truncate activity_seals'],
  ['activity_heads', 'delete from activity_heads'],
  ['activity_heads', 'truncate activity_heads'],
  ['activity_heads', 'update activity_heads set position = position - 1'],
  ['activity_heads', "update activity_heads set hash = 'x'"],
])('the activity log is append-only: on %s, "%s" is refused', async (table, sql) => {
  await recordActivity(db, anActivity(randomUUID()));
  await sealActivity(db);
  await expect(db.raw(sql)).rejects.toThrow(`the audit trail is append-only: ${sql.split(' ')[0]} of ${table} is refused`);
});
