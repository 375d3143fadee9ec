import { type Readable, Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { OutboundError } from './outbound-error.ts';

/** What can be decoded, as an Accept-Encoding header says it. */
export const ACCEPT_ENCODING = 'gzip, deflate, br';

interface ReadBody {
  body: Buffer;
  decoded: boolean;
  isCut: boolean;
}

/**
 * Reads a body of at most `maxBytes`, decoded as its Content-Encoding says; both the coded and the decoded bytes count. An unknown encoding
 * stays as it is. A larger one is a failure, or cut to about that size where it may be.
 */
export async function readBody(body: Readable, contentEncoding: string, maxBytes: number, mayCut = false): Promise<ReadBody> {
  const decoders = decodersOf(contentEncoding);
  const chunks: Buffer[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  const isWhole = await pipeline([body, cap(maxBytes), ...decoders, cap(maxBytes), sink]).then(
    () => true,
    (error) => {
      if (mayCut && error instanceof OutboundError && error.kind === 'too_large') return false;
      throw error;
    },
  );
  return { body: Buffer.concat(chunks), decoded: decoders.length > 0, isCut: !isWhole };
}

const DECODERS: Record<string, () => Transform> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};
const MAX_LAYERS = 2;

function decodersOf(contentEncoding: string): Transform[] {
  const names = contentEncoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length > MAX_LAYERS || names.some((name) => !Object.hasOwn(DECODERS, name))) return [];
  return names.reverse().map((name) => DECODERS[name]!());
}

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
