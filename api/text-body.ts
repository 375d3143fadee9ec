import { Readable } from 'node:stream';
import { encodeText, TEXT_SLICE } from '../infra/event-loop/encode-text.ts';

/**
 * Returns a text as a response body. A long text becomes a stream, because encoding it in one step
 * would block the event loop.
 */
export function textBody(text: string | readonly string[]): string | Readable {
  const pieces = typeof text === 'string' ? [text] : text;
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return length <= TEXT_SLICE ? pieces.join('') : textStream(pieces);
}

/** Returns the pieces of a text as one stream of bytes. */
export function textStream(pieces: readonly string[]): Readable {
  return Readable.from(encodeAll(pieces), { objectMode: false });
}

async function* encodeAll(pieces: readonly string[]): AsyncGenerator<Buffer> {
  for (const piece of pieces) yield* encodeText(piece);
}
