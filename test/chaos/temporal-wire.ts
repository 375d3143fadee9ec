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
import type { AddressInfo } from 'node:net';
import type { Passage } from './trap.ts';

export interface TemporalWire {
  address: string;
  close(): Promise<void>;
}

/** Asked all the time, whatever a step does. */
const BACKGROUND = /^(Poll|GetSystemInfo|Describe|Check|ShutdownWorker|RecordWorkerHeartbeat|RecordActivityTaskHeartbeat)/;

/**
 * Stands between a process and Temporal and knows the calls (gRPC over HTTP/2): each one that is not background is announced to `pass` by its
 * method, and waits for its word on the way there and on the way back.
 */
export async function openTemporalWire(target: string, pass: (method: string) => Passage): Promise<TemporalWire> {
  const server = createServer();
  const sessions = new Map<ServerHttp2Session, ClientHttp2Session>();
  server.on('session', (incoming) => {
    const outgoing = connect(`http://${target}`);
    sessions.set(incoming, outgoing);
    outgoing.on('error', () => {}).on('close', () => incoming.destroy());
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
    const passage = BACKGROUND.test(method) ? undefined : pass(method);
    void carry(stream, headers, outgoing, passage).catch(() => {
      incoming.destroy();
      outgoing.destroy();
    });
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

/** Rejects where both ends are to be cut off. */
async function carry(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  outgoing: ClientHttp2Session,
  passage: Passage | undefined,
): Promise<void> {
  if ((await passage?.before()) === 'drop') throw new Error('dropped');
  if (stream.destroyed || outgoing.destroyed) return;
  const request = outgoing.request(headers);
  request.on('error', () => {});
  stream.on('close', () => request.close(constants.NGHTTP2_CANCEL));
  stream.pipe(request);
  const answer = await answerOf(request);
  if ((await passage?.after()) === 'drop') throw new Error('dropped');
  if (stream.destroyed) return;
  if (!answer) return stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  const { head, body, trailers } = answer;
  if (!trailers) return void stream.respond(head, { endStream: true });
  stream.on('wantTrailers', () => stream.sendTrailers(trailers));
  stream.respond(head, { waitForTrailers: true });
  stream.end(body);
}

interface Answer {
  head: IncomingHttpHeaders;
  body: Buffer;
  /** Undefined where the headers were all. */
  trailers: IncomingHttpHeaders | undefined;
}

/** The whole answer, which is one message in all that Temporal is asked; undefined when it broke off. */
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
