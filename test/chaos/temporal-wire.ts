import { once } from 'node:events';
import {
  type ClientHttp2Session,
  connect,
  constants,
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { Passage } from './fault-injector.ts';

/** Processes connect to `address` instead of Temporal. */
export interface TemporalWire {
  address: string;
  close(): Promise<void>;
}

/** Whether a call is part of a process's background traffic, such as polling. */
export function isBackground(method: string): boolean {
  return /^(Poll|GetSystemInfo|Describe|Check|ShutdownWorker|RecordWorkerHeartbeat|RecordActivityTaskHeartbeat)/.test(method);
}

/** Opens a proxy to Temporal. `pass` watches each call (gRPC over HTTP/2). */
export async function openTemporalWire(target: string, pass: (method: string, request: Buffer) => Passage): Promise<TemporalWire> {
  const server = createServer();
  const sessions = new Map<ServerHttp2Session, ClientHttp2Session>();
  let connection: Socket;
  server.prependListener('connection', (socket) => {
    connection = socket;
  });
  server.on('session', (incoming) => {
    const outgoing = connect(`http://${target}`);
    const socket = connection;
    sessions.set(incoming, outgoing);
    // Closes the connection as a killed server does, without the graceful end of HTTP/2.
    outgoing.on('error', () => {}).on('close', () => socket.destroy());
    incoming
      .on('error', () => {})
      .on('close', () => {
        sessions.delete(incoming);
        outgoing.destroy();
      });
  });
  server.on('sessionError', () => {});
  server.on('stream', (stream, headers) => {
    const incoming = stream.session as ServerHttp2Session;
    const outgoing = sessions.get(incoming);
    stream.on('error', () => {});
    if (!outgoing) return stream.close(constants.NGHTTP2_REFUSED_STREAM);
    const method = String(headers[':path']).split('/').at(-1)!;
    void carry(stream, headers, outgoing, (request) => pass(method, request)).catch(() => outgoing.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      for (const [incoming, outgoing] of sessions) {
        incoming.destroy();
        outgoing.destroy();
      }
      server.close();
    },
  };
}

/** Forwards a call and its answer. Rejects if the proxy must disconnect both ends. */
async function carry(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  outgoing: ClientHttp2Session,
  pass: (request: Buffer) => Passage,
): Promise<void> {
  const asked = await wholeOf(stream);
  const passage = pass(asked);
  if ((await passage.before()) === 'drop') throw new Error('dropped');
  if (stream.destroyed || outgoing.destroyed) return;
  const request = outgoing.request(headers);
  request.on('error', () => {});
  stream.on('close', () => request.close(constants.NGHTTP2_CANCEL));
  request.end(asked);
  const answer = await answerOf(request);
  if ((await passage.after(answer?.body)) === 'drop') throw new Error('dropped');
  if (stream.destroyed) return;
  if (!answer) return stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  const { head, body, trailers } = answer;
  if (!trailers) return void stream.respond(head, { endStream: true });
  stream.on('wantTrailers', () => stream.sendTrailers(trailers));
  stream.respond(head, { waitForTrailers: true });
  stream.end(body);
}

/** Reads the request. Every call has a single request message. */
async function wholeOf(stream: ServerHttp2Stream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

interface Answer {
  head: IncomingHttpHeaders;
  body: Buffer;
  /** Undefined if the answer had only headers. */
  trailers: IncomingHttpHeaders | undefined;
}

/** Returns the complete answer, or undefined if it broke off. */
async function answerOf(request: ReturnType<ClientHttp2Session['request']>): Promise<Answer | undefined> {
  let head: IncomingHttpHeaders | undefined;
  let trailers: IncomingHttpHeaders | undefined;
  request.on('response', (headers) => {
    head = strip(headers);
  });
  request.on('trailers', (headers) => {
    trailers = strip(headers);
  });
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(request, 'close').catch(() => {});
  const isWhole = head && (trailers ?? head['grpc-status']) !== undefined;
  return isWhole ? { head: head!, body: Buffer.concat(chunks), trailers } : undefined;
}

function strip(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers));
}
