import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Passage, Verdict } from './fault-injector.ts';

/** Processes connect to `port` instead of Postgres. */
export interface PostgresWire {
  port: number;
  close(): Promise<void>;
}

/** One statement that a process sends. */
export interface Statement {
  /**
   * The name of a prepared statement, or else operation and table, or the first words.
   */
  label: string;
  /** The SQL, also if the statement was prepared earlier on this connection. */
  sql: string;
  bytes: Buffer;
  /** Identifies the connection. */
  session: object;
}

/**
 * Opens a proxy to Postgres. `pass` watches each statement. A statement consists of the messages up
 * to a Query or a Sync (protocol 3.0).
 */
export async function openPostgresWire(
  target: { host: string; port: number },
  pass: (statement: Statement) => Passage,
): Promise<PostgresWire> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    return socket
      .setNoDelay(true)
      .on('close', () => sockets.delete(socket))
      .on('error', () => {});
  };
  const server = createServer((incoming) => {
    const outgoing = keep(connect(target.port, target.host));
    incoming.on('close', () => outgoing.destroy());
    outgoing.on('close', () => incoming.destroy());
    carry(keep(incoming), outgoing, pass);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Underway {
  passage: Passage;
  answer: Buffer[];
}

function carry(incoming: Socket, outgoing: Socket, pass: (statement: Statement) => Passage): void {
  const prepared = new Map<string, string>();
  let isOpen = false;
  let isGreeted = false;
  let statement: Buffer[] = [];
  let underway: Underway | undefined;
  const orDrop = (verdict: Verdict, goOn: () => void) => {
    if (verdict === 'forward') return goOn();
    incoming.destroy();
    outgoing.destroy();
  };

  const fromProcess = async (message: Buffer) => {
    const type = isGreeted ? String.fromCharCode(message[0]!) : 'startup';
    isGreeted = true;
    if (!isOpen || type === 'X') return void outgoing.write(message);
    statement.push(message);
    if (type !== 'Q' && type !== 'S') return;
    const whole = statement;
    statement = [];
    const passage = pass({ ...readStatement(whole, prepared), bytes: Buffer.concat(whole), session: incoming });
    const verdict = await passage.before();
    underway = { passage, answer: [] };
    orDrop(verdict, () => outgoing.write(Buffer.concat(whole)));
  };

  const fromServer = async (message: Buffer) => {
    const isReady = message[0] === READY_FOR_QUERY;
    if (!underway) {
      isOpen ||= isReady;
      return void incoming.write(message);
    }
    underway.answer.push(message);
    if (!isReady) return;
    const { passage, answer } = underway;
    underway = undefined;
    orDrop(await passage.after(), () => incoming.write(Buffer.concat(answer)));
  };

  incoming.on('data', inTurn(splitter(() => isGreeted, fromProcess)));
  outgoing.on('data', inTurn(splitter(() => true, fromServer)));
}

const READY_FOR_QUERY = 'Z'.charCodeAt(0);

function inTurn(take: (chunk: Buffer) => Promise<void>): (chunk: Buffer) => void {
  let last = Promise.resolve();
  return (chunk) => {
    last = last.then(() => take(chunk));
  };
}

/** A message starts with a type and a length. The first message of a connection has no type. */
function splitter(isTyped: () => boolean, take: (message: Buffer) => Promise<void>): (chunk: Buffer) => Promise<void> {
  let rest = Buffer.alloc(0);
  return async (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const typeBytes = isTyped() ? 1 : 0;
      if (rest.length < typeBytes + 4) return;
      const length = typeBytes + rest.readInt32BE(typeBytes);
      if (rest.length < length) return;
      const message = rest.subarray(0, length);
      rest = rest.subarray(length);
      await take(message);
    }
  };
}

function readStatement(messages: Buffer[], prepared: Map<string, string>): Pick<Statement, 'label' | 'sql'> {
  for (const message of messages) {
    const [first = '', second = ''] = message.subarray(5).toString('latin1').split('\0');
    switch (String.fromCharCode(message[0]!)) {
      case 'Q':
        return { label: shorten(first), sql: first };
      case 'P':
        prepared.set(first, second);
        return { label: shorten(first || second), sql: second };
      case 'B':
        if (second) return { label: shorten(second), sql: prepared.get(second) ?? '' };
    }
  }
  return { label: 'sync', sql: '' };
}

function shorten(text: string): string {
  const plain = text.replaceAll('"', '').replace(/\s+/g, ' ').trim().toLowerCase();
  const table = /^(insert into|update|delete from) (\w+)/.exec(plain) ?? /^(select).*? from (\w+)/.exec(plain);
  return table ? `${table[1]} ${table[2]}` : plain.replace(/[;(].*/, '').slice(0, 40);
}
