import pg from 'pg';
import pino from 'pino';
import { openDatabase } from '../../infra/database.ts';
import { ListenConnection } from '../../infra/listen-connection.ts';
import { cloneDatabase } from '../support/system.ts';

const logger = pino({ level: 'silent' });

let database: Awaited<ReturnType<typeof cloneDatabase>>;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(async () => {
  await database.drop();
});

function open(onLost = () => {}) {
  const received: string[] = [];
  let onReceived = () => {};
  const connection = new ListenConnection(database.url, logger, {
    onNotification(channel, payload) {
      received.push(`${channel}: ${payload}`);
      onReceived();
    },
    onLost,
  });
  const untilReceived = async (count: number) => {
    while (received.length < count)
      await new Promise<void>((resolve) => {
        onReceived = resolve;
      });
    return received;
  };
  return { connection, untilReceived };
}

test('channels that are subscribed concurrently are set up one query at a time', async () => {
  const query = pg.Client.prototype.query as (...args: unknown[]) => Promise<unknown>;
  let running = 0;
  let most = 0;
  const watched = jest.spyOn(pg.Client.prototype, 'query').mockImplementation(async function (this: pg.Client, ...args: unknown[]) {
    running += 1;
    most = Math.max(most, running);
    return query.apply(this, args).finally(() => {
      running -= 1;
    });
  } as never);
  const { connection } = open();
  await Promise.all(['one', 'two', 'three', 'one'].map((channel) => connection.listen(channel)));
  watched.mockRestore();
  expect(most).toBe(1);
  await connection.close();
});

test('notifications arrive with their channel and payload, also with an empty payload', async () => {
  const { connection, untilReceived } = open();
  const db = openDatabase({ url: database.url, name: 'listen-connection-test' });
  await Promise.all([connection.listen('one'), connection.listen('two')]);
  await db.raw("select pg_notify('one', 'x'), pg_notify('other', 'y'), pg_notify('two', '')");
  expect(await untilReceived(2)).toEqual(['one: x', 'two: ']);
  await connection.close();
  await db.destroy();
});

test('a lost connection is reported, and the next listen connects again', async () => {
  const lost = Promise.withResolvers<void>();
  const { connection, untilReceived } = open(lost.resolve);
  const db = openDatabase({ url: database.url, name: 'listen-connection-test' });
  await connection.listen('one');
  await db.raw(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'gateway-notices' and datname = current_database()",
  );
  await lost.promise;
  await connection.listen('one');
  await db.raw("select pg_notify('one', 'again')");
  expect(await untilReceived(1)).toEqual(['one: again']);
  await connection.close();
  await db.destroy();
});

test('listen rejects if the connection cannot be established or is closed', async () => {
  const away = new ListenConnection('postgres://127.0.0.1:1/none', logger, { onNotification() {}, onLost() {} });
  await expect(away.listen('one')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await expect(away.connected()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  const { connection } = open();
  await connection.close();
  await expect(connection.listen('one')).rejects.toThrow('closed');
});
