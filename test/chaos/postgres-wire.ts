import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Passage, Verdict } from './trap.ts';

export interface PostgresWire {
  port: number;
  close(): Promise<void>;
}

/**
 * Stands between a process and Postgres and knows where a statement begins and ends (protocol 3.0: what ends in a Query or a Sync, and is
 * answered by a ReadyForQuery): each is announced to `pass` and waits for its word on the way there and on the way back.
 */
export async function openPostgresWire(target: { host: string; port: number }, pass: (label: string) => Passage): Promise<PostgresWire> {
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

/** A statement on its way, and how much of its answer has come. */
interface Underway {
  passage: Passage;
  answer: Buffer[];
}

function carry(incoming: Socket, outgoing: Socket, pass: (label: string) => Passage): void {
  let isOpen = false;
  let isGreeted = false;
  let statement: Buffer[] = [];
  let underway: Underway | undefined;
  const orDrop = (verdict: Verdict, goOn: () => void) => {
    if (verdict === 'go on') return goOn();
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
    const passage = pass(labelOf(whole));
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

/** One chunk after the other, however long each takes. */
function inTurn(take: (chunk: Buffer) => Promise<void>): (chunk: Buffer) => void {
  let last = Promise.resolve();
  return (chunk) => {
    last = last.then(() => take(chunk));
  };
}

/** Cuts a stream into messages; the first one of a connection has no type before its length. */
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

/** What a statement does, to which table; of a prepared statement its name. */
function labelOf(messages: Buffer[]): string {
  const texts = messages.flatMap((message) => {
    const strings = message.subarray(5).toString('latin1').split('\0');
    const [first = '', second = ''] = strings;
    switch (String.fromCharCode(message[0]!)) {
      case 'Q':
        return first;
      case 'P':
        return first || second;
      case 'B':
        return second ? second : [];
      default:
        return [];
    }
  });
  return shorten(texts[0] ?? 'sync');
}

function shorten(text: string): string {
  const plain = text.replaceAll('"', '').replace(/\s+/g, ' ').trim().toLowerCase();
  const table = /^(insert into|update|delete from) (\w+)/.exec(plain) ?? /^(select).*? from (\w+)/.exec(plain);
  return table ? `${table[1]} ${table[2]}` : plain.replace(/[;(].*/, '').slice(0, 40);
}
