import pino from 'pino';
import { type Db, openDatabase } from '../../infra/database.ts';
import { openNotices } from '../../infra/notices.ts';
import { cloneDatabase } from '../support/system.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let db: Db;
beforeAll(async () => {
  database = await cloneDatabase();
  db = openDatabase({ url: database.url, name: 'notices-test' });
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});

test('a subscriber is called for each notification of its channel and after each connect', async () => {
  const notices = openNotices(database.url, pino({ level: 'silent' }));
  let heard = 0;
  let next = Promise.withResolvers<void>();
  const untilHeard = async (count: number) => {
    while (heard < count) await next.promise;
  };
  const unsubscribe = notices.subscribe('one', () => {
    heard += 1;
    next.resolve();
    next = Promise.withResolvers();
  });
  await untilHeard(1);
  await db.raw("select pg_notify('another', ''), pg_notify('one', 'x')");
  await untilHeard(2);
  await db.raw(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'gateway-notices' and datname = current_database()",
  );
  await untilHeard(3);
  await db.raw("select pg_notify('one', '')");
  await untilHeard(4);
  unsubscribe();
  const others: (() => void)[] = [];
  const another = () => new Promise<void>((resolve) => others.push(resolve));
  const begun = another();
  const end = notices.subscribe('one', () => others.shift()?.());
  await begun;
  const told = another();
  await db.raw("select pg_notify('one', '')");
  await told;
  expect(heard).toBe(4);
  end();
  await notices.close();
});
