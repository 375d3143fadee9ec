import type { Db } from '../../infra/database.ts';
import { patientDatabase } from '../support/patient-database.ts';
import { cloneDatabase } from '../support/system.ts';

let db: Db;
let drop: () => Promise<void>;
beforeAll(async () => {
  const clone = await cloneDatabase();
  drop = clone.drop;
  db = patientDatabase(clone.url, 4);
  await db.raw('create table counters (id integer primary key, value integer not null)');
  await db('counters').insert([
    { id: 1, value: 0 },
    { id: 2, value: 0 },
  ]);
});
afterAll(async () => {
  await db?.destroy();
  await drop?.();
});

const raise = (tx: Db, id: number) => tx('counters').where({ id }).increment('value', 1);

test('two deadlocked transactions both succeed', async () => {
  const met = Promise.withResolvers<void>();
  let runs = 0;
  let arrived = 0;
  const raiseBoth = ([first, second]: [number, number]) =>
    db.transaction(async (tx) => {
      runs += 1;
      await raise(tx, first);
      arrived += 1;
      if (arrived === 2) met.resolve();
      await met.promise;
      await raise(tx, second);
    });
  await Promise.all([raiseBoth([1, 2]), raiseBoth([2, 1])]);
  expect(runs).toBe(3);
  expect(await db('counters').orderBy('id').pluck('value')).toEqual([2, 2]);
});

test('a transaction runs at most twice, and only a deadlock or a serialization failure is retried', async () => {
  const runsOf = async (code: string) => {
    let runs = 0;
    const failing = db.transaction(async (tx) => {
      runs += 1;
      await tx.raw(`do $$ begin raise exception 'no' using errcode = '${code}'; end $$`);
    });
    await expect(failing).rejects.toMatchObject({ code });
    return runs;
  };
  expect([await runsOf('40P01'), await runsOf('40001'), await runsOf('22012')]).toEqual([2, 2, 1]);
});
