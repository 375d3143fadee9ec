import { PassThrough, type Readable, Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import type { Dispatcher } from 'undici';
import type { OutboundRequest, OutboundResponse, OutboundStream } from '../domain/outbound.ts';
import { OutboundError } from './outbound-error.ts';
import type { Hop } from './outbound-redirect.ts';
import { hostOf } from './outbound-target.ts';

/** Value of the header Accept-Encoding. More encodings can be decoded. */
export const ACCEPT_ENCODING = 'gzip, deflate, br';

/** Handles an answer whose headers have arrived. */
export type Receive<Answer> = (answer: Dispatcher.ResponseData, hop: Hop, bounds: Bounds, deadline: Deadline) => Promise<Answer>;

type Bounds = Required<Pick<OutboundRequest, 'maxBytes' | 'cutsFailures' | 'discardsBody'>>;

/** The time limit of a request. */
export interface Deadline {
  signal: AbortSignal;
  failure(error: unknown, host: string): OutboundError;
}

/** Reads the whole body, unless the request discards it. */
export const receiveWhole: Receive<OutboundResponse> = async (answer, hop, { maxBytes, cutsFailures, discardsBody }, { signal }) => {
  const head = headOf(answer, hop);
  if (discardsBody) {
    // A short body is read, so that the connection can be reused. A long body closes the
    // connection.
    answer.body.dump({ limit: DISCARDED_BYTES }).catch(() => {});
    return { ...head, body: Buffer.alloc(0) };
  }
  const mayCut = cutsFailures && answer.statusCode >= 400;
  const read = await readBody(answer.body, contentEncodingOf(head, hop), { maxBytes, mayCut, signal });
  return { ...head, headers: decodedHeaders(head, read), body: read.body, isCut: read.isCut };
};

/** Passes the body on as a stream. */
export const receiveStream: Receive<OutboundStream> = async (answer, hop, { maxBytes }, { signal, failure }) => {
  const head = headOf(answer, hop);
  const read = streamBody(answer.body, contentEncodingOf(head, hop), { maxBytes, signal });
  const body = toWebStream(read.body, (error) => failure(error, hostOf(hop.url)));
  return { ...head, headers: decodedHeaders(head, read), body };
};

type Head = Pick<OutboundResponse, 'status' | 'headers' | 'url'>;

function headOf(answer: Dispatcher.ResponseData, { url }: Hop): Head {
  return { status: answer.statusCode, headers: flatten(answer.headers), url: `${url.origin}${url.pathname}${url.search}` };
}

/** Empty if the answer has no body. */
function contentEncodingOf({ status, headers }: Head, { method }: Hop): string {
  const isEmpty = method === 'HEAD' || BODILESS.has(status) || headers['content-length'] === '0';
  return isEmpty ? '' : (headers['content-encoding'] ?? '');
}

function decodedHeaders({ headers }: Head, { decoded }: { decoded: boolean }): Head['headers'] {
  if (!decoded) return headers;
  const { 'content-encoding': _, 'content-length': __, ...rest } = headers;
  return rest;
}

const DISCARDED_BYTES = 16 * 1024;
const BODILESS = new Set([204, 304]);

function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );
}

interface ReadBody {
  body: Buffer;
  decoded: boolean;
  isCut: boolean;
}

export interface BodyLimits {
  /** Limit of the encoded bytes, and also of the decoded bytes. */
  maxBytes: number;
  /** Whether a larger body is cut to about `maxBytes`. Otherwise it is refused. */
  mayCut: boolean;
  signal: AbortSignal;
}

/**
 * Reads a body and decodes it. A body in an unknown encoding is not decoded. Throws an
 * OutboundError for a body that is too large, unless `mayCut`. Also throws it for several
 * encodings, because each encoding multiplies the work per byte.
 */
export async function readBody(body: Readable, contentEncoding: string, { maxBytes, mayCut, signal }: BodyLimits): Promise<ReadBody> {
  const chunks: Buffer[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  const { decoded, stages } = decoding(body, contentEncoding, maxBytes);
  const isWhole = await pipeline([body, ...stages, sink], { signal }).then(
    () => true,
    (error) => {
      if (mayCut && error instanceof OutboundError && error.kind === 'too_large') return false;
      throw error;
    },
  );
  return { body: Buffer.concat(chunks), decoded, isCut: !isWhole };
}

/** Throws for more than one encoding. Other errors are errors of the stream. */
function streamBody(
  body: Readable,
  contentEncoding: string,
  { maxBytes, signal }: Pick<BodyLimits, 'maxBytes' | 'signal'>,
): { body: Readable; decoded: boolean } {
  const { decoded, stages } = decoding(body, contentEncoding, maxBytes);
  const end = new PassThrough();
  // The error reaches the reader of `end`.
  pipeline([body, ...stages, end], { signal }).catch(() => {});
  return { body: end, decoded };
}

function toWebStream(body: Readable, toError: (error: unknown) => Error): ReadableStream<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await chunks.next();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          controller.error(toError(error));
        }
      },
      cancel: () => void body.destroy(),
    },
    { highWaterMark: 0 },
  );
}

function decoding(body: Readable, contentEncoding: string, maxBytes: number): { decoded: boolean; stages: Transform[] } {
  const names = encodingsOf(contentEncoding);
  if (names.length > 1) {
    body.on('error', () => {}).destroy();
    throw new OutboundError('bad_response', 'The answer has more than one Content-Encoding, and only one is decoded.');
  }
  const decoder = DECODERS[names[0] ?? '']?.();
  return { decoded: decoder !== undefined, stages: decoder ? [cap(maxBytes), decoder, cap(maxBytes)] : [cap(maxBytes)] };
}

function encodingsOf(contentEncoding: string): string[] {
  const names = contentEncoding.toLowerCase().split(',');
  return names.map((name) => name.trim()).filter((name) => name !== '' && name !== 'identity');
}

/** The window costs memory. RFC 9659 limits it to 8 MB for HTTP. */
const ZSTD_OPTIONS = { params: { [constants.ZSTD_d_windowLogMax]: 23 } };

const DECODERS: Partial<Record<string, () => Transform>> = Object.assign(Object.create(null), {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  deflate: () => createInflate(),
  br: () => createBrotliDecompress(),
  zstd: () => createZstdDecompress(ZSTD_OPTIONS),
});

function cap(maxBytes: number): Transform {
  let size = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size > maxBytes) done(new OutboundError('too_large', `The answer is larger than ${maxBytes} bytes.`));
      else done(null, chunk);
    },
  });
}
