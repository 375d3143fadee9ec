import { breathe } from './breathe.ts';

/** In bytes. */
const SLICE = 1024 * 1024;

/** Joins chunks in slices, so that other work can run between two slices. */
export async function joinBytes(chunks: readonly Uint8Array[]): Promise<Buffer> {
  const length = lengthOf(chunks);
  // Small bodies are frequent, and `concat` takes their memory from Node's pool.
  if (length <= SLICE) return Buffer.concat(chunks, length);
  const joined = Buffer.allocUnsafeSlow(length);
  await copyInto(joined, chunks);
  return joined;
}

/** Like `joinBytes`, but into memory that another thread can read without a copy. */
export async function joinShared(chunks: readonly Uint8Array[]): Promise<Uint8Array> {
  const joined = new Uint8Array(new SharedArrayBuffer(lengthOf(chunks)));
  await copyInto(joined, chunks);
  return joined;
}

async function copyInto(joined: Uint8Array, chunks: readonly Uint8Array[]): Promise<void> {
  let at = 0;
  for (const chunk of chunks) {
    for (let from = 0; from < chunk.length; from += SLICE) {
      const slice = chunk.subarray(from, from + SLICE);
      joined.set(slice, at);
      at += slice.length;
      await breathe();
    }
  }
}

function lengthOf(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((sum, { length }) => sum + length, 0);
}
