import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';
import pg from 'pg';
import { ANSWER_MAX_BYTES } from '../../../../domain/limits.ts';
import type { ActionContext } from '../../../definition.ts';
import type { PostgresAccount } from './account.ts';
import { guardStream } from './guard-stream.ts';

export type Reach = Pick<ActionContext, 'auth' | 'outbound' | 'signal'>;

/** A connected client. */
export interface Session {
  client: pg.Client;
  /** Cancels the running statement, then closes the connection. */
  cancel(): Promise<void>;
  close(): void;
}

const CONNECT_TIMEOUT_MS = 10_000;
const CANCEL_TIMEOUT_MS = 2_000;
const CLOSE_TIMEOUT_MS = 1_000;

/**
 * Connects the driver through `outbound`. Settings are explicit, because the driver would read
 * missing ones from the environment of this process.
 */
export async function openClient(account: PostgresAccount, { outbound, signal }: Omit<Reach, 'auth'>): Promise<Session> {
  const { host, port, database, username: user, password, sslmode } = account;
  const ssl = tlsOptions(account);
  const connect = async (until: AbortSignal) =>
    asUnconnected((await outbound.connect({ host, port, isEncrypted: sslmode !== 'disable', signal: until })) as unknown as Socket);
  const socket = await connect(signal);
  const client = new pg.Client({
    ...{ host, port, database, user, password, ssl, sslnegotiation: 'postgres', stream: () => socket },
    ...{ application_name: 'integration-gateway', connectionTimeoutMillis: CONNECT_TIMEOUT_MS },
  } as pg.ClientConfig);
  // The driver sets `options` and `replication` from environment variables (PGOPTIONS,
  // PGREPLICATION), and no setting of the driver prevents this.
  Object.assign((client as unknown as Wire).connectionParameters, { options: undefined, replication: undefined });
  // The waiting statement rejects with the error. Without a listener, the error would end the
  // process.
  client.on('error', () => {});
  guardConnection((client as unknown as Wire).connection, { ssl });
  const drop = () => void socket.destroy();
  signal.addEventListener('abort', drop, { once: true });
  try {
    await client.connect();
  } catch (error) {
    drop();
    throw error;
  } finally {
    signal.removeEventListener('abort', drop);
  }
  return {
    client,
    async cancel() {
      const until = AbortSignal.timeout(CANCEL_TIMEOUT_MS);
      await connect(until)
        .then((other) => cancelStatement(client, other, { account, ssl, until }))
        .catch(() => {});
      drop();
    },
    close() {
      client.end().catch(() => {});
      setTimeout(drop, CLOSE_TIMEOUT_MS).unref();
    },
  };
}

/** With `verify-ca`, any host name is accepted. */
function tlsOptions({ sslmode, ca }: PostgresAccount): ConnectionOptions | false {
  if (sslmode === 'disable') return false;
  return { ...(ca && { ca }), ...(sslmode === 'verify-ca' && { checkServerIdentity: () => undefined }) };
}

/** Lets the driver call `connect` on a socket that is already connected. */
function asUnconnected(socket: Socket): Socket {
  return Object.assign(socket, {
    connect() {
      process.nextTick(() => socket.emit('connect'));
      return socket;
    },
  });
}

interface Wire {
  connection: pg.Connection & {
    connect(port: number, host: string): void;
    cancel(process: number, secret: number): void;
    requestSsl(): void;
  };
  connectionParameters: object;
  processID: number;
  secretKey: number;
}

/** With TLS, the driver replaces the socket by a TLS stream. */
function guardConnection(connection: pg.Connection, { ssl }: { ssl: ConnectionOptions | false }): void {
  guardStream(connection.stream, { maxBytes: ANSWER_MAX_BYTES, holdsMessages: !ssl });
  connection.once('sslconnect', () => guardStream(connection.stream, { maxBytes: ANSWER_MAX_BYTES, holdsMessages: true }));
}

interface Cancelling {
  account: PostgresAccount;
  ssl: ConnectionOptions | false;
  until: AbortSignal;
}

async function cancelStatement(client: pg.Client, socket: Socket, { account, ssl, until }: Cancelling): Promise<void> {
  const { processID, secretKey } = client as unknown as Wire;
  const connection = new pg.Connection({
    stream: () => socket as Duplex,
    ...(ssl && { ssl }),
  } as pg.ConnectionConfig) as Wire['connection'];
  connection.on('error', () => {});
  guardConnection(connection, { ssl });
  const ended = new Promise<void>((resolve) => {
    connection.once('end', resolve);
    until.addEventListener('abort', () => resolve(), { once: true });
  });
  connection.once('connect', () => (ssl ? connection.requestSsl() : connection.cancel(processID, secretKey)));
  connection.once('sslconnect', () => connection.cancel(processID, secretKey));
  connection.connect(account.port, account.host);
  await ended;
  socket.destroy();
}
