import { breathe } from './breathe.ts';

/** In UTF-16 units. */
export const TEXT_SLICE = 128 * 1024;

/** Yields the UTF-8 bytes of a text. Other work can run between two slices. */
export async function* encodeText(text: string): AsyncGenerator<Buffer> {
  for (let at = 0; at < text.length; ) {
    const end = at + TEXT_SLICE;
    const next = isHighSurrogate(text.charCodeAt(end - 1)) ? end + 1 : end;
    yield Buffer.from(text.slice(at, next));
    at = next;
    await breathe();
  }
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
