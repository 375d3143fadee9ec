import type { Readable } from 'node:stream';

/**
 * Reads a stream to its end, so that the writer never blocks, but keeps only the first `maxBytes`.
 */
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
    text: () => Buffer.concat(chunks).toString('utf8'),
    isCut: () => isCut,
  };
}
