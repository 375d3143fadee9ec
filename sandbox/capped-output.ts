import type { Readable } from 'node:stream';

/** Reads a stream to its end and keeps its first `maxBytes`; the rest is thrown away, so that who writes is not held up. */
export function cappedOutput(stream: Readable, maxBytes: number) {
  const chunks: Buffer[] = [];
  let kept = 0;
  let isCut = false;
  stream.on('error', () => {});
  stream.on('data', (chunk: Buffer) => {
    const part = chunk.subarray(0, maxBytes - kept);
    isCut ||= part.length < chunk.length;
    kept += part.length;
    if (part.length > 0) chunks.push(part);
  });
  return {
    /** As UTF-8; what is none is shown as replacement characters. */
    text: () => Buffer.concat(chunks).toString('utf8'),
    isCut: () => isCut,
  };
}
