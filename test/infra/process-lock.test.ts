import { openLogger } from '../../infra/logger.ts';
import { openProcessLock, type ProcessLock } from '../../infra/process-lock.ts';
import { cloneDatabase } from '../support/ask-test-bed.ts';
import { patientDatabase } from '../support/patient-database.ts';
import { until } from '../support/until.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let db: ReturnType<typeof patientDatabase>;
const open: ProcessLock[] = [];
beforeAll(async () => {
  database = await cloneDatabase();
  db = patientDatabase(database.url);
});
afterAll(async () => {
  for (const lock of open) await lock.close();
  await db?.destroy();
  await database?.drop();
});

function aLock(url = database.url): ProcessLock {
  const lock = openProcessLock(url, openLogger('silent', { process: 'test' }));
  open.push(lock);
  return lock;
}

const isFree = async (number: number | null): Promise<boolean> =>
  (await db.raw('select pg_try_advisory_xact_lock_shared(?) as free', [number])).rows[0].free;

test('the number that a process gets is locked, and concurrent callers get the same number', async () => {
  for (let process = 0; process < 5; process += 1) {
    const lock = aLock();
    const numbers = await Promise.all([lock.number(), lock.number()]);
    expect(await Promise.all(numbers.map(isFree))).toEqual([false, false]);
    expect(new Set(numbers).size).toBe(1);
  }
});

test('after a lost connection, the lock is taken again under the same number', async () => {
  const lock = aLock();
  const number = await lock.number();
  await db.raw(
    "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and ((classid::bigint << 32) | objid::bigint) = ?",
    [number],
  );
  while (await isFree(number)) await lock.number();
  expect(await lock.number()).toBe(number);
});

test('while the database is unreachable, the number is null', async () => {
  expect(await aLock('postgres://gateway@127.0.0.1:1/gateway').number()).toBeNull();
});

test('the lock is free after its process releases it', async () => {
  const lock = aLock();
  const number = await lock.number();
  await lock.close();
  await until(() => isFree(number));
});
