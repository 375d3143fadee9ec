import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { openOutbound } from '../../../../infra/outbound.ts';
import { openServiceOutbound } from '../../../../infra/service-outbound.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from '../../../infra/outbound-certificate.ts';
import { until } from '../../../support/until.ts';
import { type DatabaseBed, LOCAL, openDatabaseBed, postgres } from './database-bed.ts';

let bed: DatabaseBed;
const open: (() => unknown)[] = [];

beforeAll(async () => {
  bed = await openDatabaseBed();
});
afterAll(() => bed?.close());
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

const query = (props: object = {}, outbound = bed.outbound) =>
  bed.call('run_query', { sql: 'select 1 as one', statement_timeout: 1000 }, { props, outbound });
const client = (settings: Parameters<typeof openOutbound>[0], options?: Parameters<typeof openOutbound>[1]) => {
  const outbound = openOutbound(settings, options);
  open.push(() => outbound.close());
  return outbound;
};

async function serve(connected: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    connected(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const serveTls = () =>
  serve((socket) => {
    socket.once('data', () => {
      socket.write('S');
      const secure = new TLSSocket(socket, { isServer: true, cert: CERTIFICATE, key: CERTIFICATE_KEY }).on('error', () => {});
      const real = connect(bed.props.port, bed.props.host).on('error', () => {});
      secure.pipe(real).pipe(secure);
    });
  });

describe('addresses', () => {
  test('an address of this machine is refused, however it is written', async () => {
    for (const host of ['127.0.0.1', 'localhost', '127.1', '2130706433', '::1', '::ffff:127.0.0.1', 'private.test']) {
      const outbound = client({ allowHttp: true, allowCidrs: [] }, { resolve: async () => ['127.0.0.1'] });
      await expect(query({ host }, outbound)).rejects.toMatchObject({
        message: expect.stringContaining('is not a public address'),
        details: { reason: 'blocked' },
      });
    }
  });

  test("the service's own database is refused, even if its address is allowed", async () => {
    const config = {
      ...{
        outbound: { ...LOCAL, allowCidrs: [...LOCAL.allowCidrs], refuse: [], resolve: [] },
        databaseUrl: bed.url,
        tokenPepper: 'p'.repeat(32),
      },
      ...{
        temporal: { address: '', uiUrl: '' },
        host: '127.0.0.1',
        port: 1,
        baseUrl: 'http://localhost:1',
        platformUrl: 'http://localhost:1',
      },
    };
    const outbound = openServiceOutbound(config as unknown as Parameters<typeof openServiceOutbound>[0]);
    open.push(() => outbound.close());
    for (const host of [bed.props.host, '127.0.0.1', '127.0.0.2', 'localhost'])
      await expect(query({ host }, outbound)).rejects.toMatchObject({
        message: expect.stringContaining('is a part of this service itself'),
      });
  });

  test('a name is resolved once per connection, which uses the checked address', async () => {
    const answers = [['127.0.0.1'], ['10.0.0.1']];
    let asked = 0;
    const outbound = client(LOCAL, { resolve: async () => answers[Math.min(asked++, 1)]! });
    expect((await query({ host: 'rebind.test' }, outbound)).rows).toEqual([{ one: 1 }]);
    expect(asked).toBe(1);
    await expect(query({ host: 'rebind.test' }, outbound)).rejects.toMatchObject({ details: { reason: 'blocked' } });
  });

  test.each(['/var/run/postgresql', 'user@127.0.0.1', '127.0.0.1/x', '127.0.0.1:80', 'a b', '#'])(
    'the host %s is refused',
    async (host) => {
      await expect(query({ host })).rejects.toMatchObject({ details: { reason: 'invalid' } });
    },
  );

  test('a connection without encryption requires the setting for plain HTTP', async () => {
    await expect(query({}, client({ ...LOCAL, allowHttp: false }))).rejects.toMatchObject({
      message: expect.stringContaining('Only encrypted connections'),
      details: { reason: 'blocked' },
    });
  });
});

describe('certificates', () => {
  const at = (port: number, props: object) => query({ port, ...props });

  test('a certificate that the account trusts, with the name of the host, is accepted', async () => {
    const port = await serveTls();
    const outbound = client(LOCAL, { resolve: async () => ['127.0.0.1'] });
    const found = await query({ port, host: 'localhost', sslmode: 'verify-full', ca: CERTIFICATE }, outbound);
    expect(found.rows).toEqual([{ one: 1 }]);
  });

  test('a certificate for another name is refused by verify-full and accepted by verify-ca', async () => {
    const port = await serveTls();
    const outbound = client(LOCAL, { resolve: async () => ['127.0.0.1'] });
    const other = { port, host: 'other.test', ca: CERTIFICATE };
    await expect(query({ ...other, sslmode: 'verify-full' }, outbound)).rejects.toMatchObject({
      message: 'other.test does not show a certificate that is valid for this name and these authorities.',
    });
    expect((await query({ ...other, sslmode: 'verify-ca' }, outbound)).rows).toEqual([{ one: 1 }]);
  });

  test.each(['verify-full', 'verify-ca'])('a certificate of an unknown authority is refused with %s', async (sslmode) => {
    await expect(at(await serveTls(), { sslmode })).rejects.toMatchObject({
      message: expect.stringContaining('does not show a certificate that is valid'),
      details: { reason: 'unreachable' },
    });
  });

  test('with verify-full, a server without TLS is refused', async () => {
    await expect(query({ sslmode: 'verify-full' })).rejects.toMatchObject({
      message: `${bed.props.host} takes no encrypted connections.`,
    });
  });

  test('a statement over TLS is canceled over TLS', async () => {
    const port = await serveTls();
    const controller = new AbortController();
    const props = { port, sslmode: 'verify-ca', ca: CERTIFICATE };
    const call = bed.call('execute_sql', { sql: 'select pg_sleep(600) as tls' }, { props, signal: controller.signal });
    const failed = expect(call).rejects.toMatchObject({ details: { reason: 'aborted' } });
    const running = () =>
      bed.sql(
        "select 1 from pg_stat_activity where query = 'select pg_sleep(600) as tls' and state = 'active' and datname = current_database()",
      );
    await until(async () => (await running()).length > 0);
    controller.abort();
    await failed;
    await until(async () => (await running()).length === 0);
  });
});

describe('servers that are not Postgres', () => {
  const message = (code: string, body: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(body.length + 4);
    return Buffer.concat([Buffer.from(code), length, body]);
  };
  const number = (value: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32BE(value);
    return bytes;
  };
  const hostile: [string, (socket: Socket) => void][] = [
    ['closes immediately', (socket) => socket.end()],
    ['asks for credentials of an unknown kind', (socket) => socket.write(message('R', number(99)))],
    ['cuts a message off', (socket) => socket.end(message('R', number(5)))],
    ['sends rows without a query', (socket) => socket.write(message('D', Buffer.from([255, 255, 0, 0, 0, 9])))],
    [
      'sends a message that is longer than its stated length',
      (socket) => socket.write(Buffer.concat([Buffer.from('E'), number(2), Buffer.alloc(100, 1)])),
    ],
    ['speaks HTTP', (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'.repeat(100))],
    ['sends without end', (socket) => void sendForEver(socket)],
    [
      'asks for the password and then sends ReadyForQuery with an invalid status',
      (socket) => socket.write(Buffer.concat([message('R', number(3)), message('Z', Buffer.from('?'))])),
    ],
  ];

  function sendForEver(socket: Socket): void {
    socket.write(Buffer.concat([Buffer.from('E'), number(0x7fffffff)]));
    const more = () => {
      while (!socket.destroyed && socket.write(Buffer.alloc(65_536, 1)));
    };
    socket.on('drain', more);
    more();
  }

  test.each(hostile)('a call to a server that %s fails', async (_, answer) => {
    const port = await serve((socket) => void socket.once('data', () => answer(socket)));
    await expect(query({ host: '127.0.0.1', port })).rejects.toMatchObject({
      code: 'ACTION_FAILED',
      details: { reason: expect.any(String) },
    });
  });

  test('the connection to a silent server is given up at the deadline', async () => {
    const port = await serve(() => {});
    await expect(query({ host: '127.0.0.1', port })).rejects.toMatchObject({
      message: '127.0.0.1 did not accept the connection in time.',
      details: { reason: 'timeout' },
    });
  });
});

test('wrong credentials, an unknown database and an incomplete account are reported', async () => {
  await expect(query({ username: 'nobody_of_this_name', password: 's3cret-x' })).rejects.toMatchObject({
    code: 'ACTION_FAILED',
    details: { reason: 'unauthorized' },
  });
  await expect(query({ database: 'no_such_database' })).rejects.toMatchObject({ details: { code: '3D000' } });
  const auth = { type: 'CUSTOM_AUTH' as const, props: { host: 'x' } };
  const asked = { input: {}, auth, outbound: bed.outbound, signal: AbortSignal.timeout(60_000) };
  await expect(postgres.actions.find_rows!.dynamic!.schema!.options!({ ...asked, search: undefined })).rejects.toThrow(
    'The connected account of PostgreSQL is not complete: database, username, password.',
  );
});

test('the environment of the service changes no session', async () => {
  const variables = {
    PGOPTIONS: '-c work_mem=1234kB',
    PGREPLICATION: 'database',
    PGPASSWORD: 'x',
    PGAPPNAME: 'x',
    PGCLIENT_ENCODING: 'LATIN1',
  };
  const before = { ...process.env };
  open.push(() => {
    for (const name of Object.keys(variables)) delete process.env[name];
    Object.assign(process.env, before);
  });
  const asked = { sql: "select name, setting from pg_settings where name in ('application_name', 'work_mem') order by name" };
  const { rows } = await bed.call('run_query', asked);
  Object.assign(process.env, variables);
  expect((await bed.call('run_query', asked)).rows).toEqual(rows);
});
