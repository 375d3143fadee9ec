import { breathe } from '../../infra/event-loop/breathe.ts';
import { joinBytes } from '../../infra/event-loop/join-bytes.ts';

/** A body without its large field, and the value of that field. */
export interface TakenField {
  /** The body, with `null` instead of the value. */
  rest: Buffer;
  /**
   * The value in UTF-8: the characters of a text, or an object as JSON. Undefined if the field is
   * missing, has another type or is not valid.
   */
  value: Uint8Array | undefined;
}

const SLICE = 256 * 1024;
const [QUOTE, BACKSLASH, COLON, COMMA, U] = [0x22, 0x5c, 0x3a, 0x2c, 0x75];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];

/**
 * Takes the value of one field out of a JSON object without parsing the object. If the field is
 * repeated, the last value counts, as in JSON.parse. Returns undefined if more than `restMaxBytes`
 * are outside the field.
 */
export async function takeLargeField(body: Buffer, field: string, restMaxBytes: number): Promise<TakenField | undefined> {
  const places = await findValues(body, field, restMaxBytes);
  if (!places) return undefined;
  const [start, end] = places.at(-1) ?? [];
  if (start === undefined) return { rest: body, value: undefined };
  return { rest: withoutValues(body, places), value: await readValue(body.subarray(start, end)) };
}

/** Copies the body into one buffer, because there can be very many places. */
function withoutValues(body: Buffer, places: readonly [number, number][]): Buffer {
  const length = places.reduce((sum, [begin, end]) => sum - (end - begin) + NULL.length, body.length);
  const rest = Buffer.alloc(length);
  let to = 0;
  let from = 0;
  for (const [begin, end] of places) {
    to += body.copy(rest, to, from, begin);
    to += NULL.copy(rest, to);
    from = end;
  }
  body.copy(rest, to, from);
  return rest;
}

const NULL = Buffer.from('null');

/** Returns undefined for a value that is no text or object, so that the schema refuses the body. */
async function readValue(bytes: Buffer): Promise<Uint8Array | undefined> {
  try {
    if (bytes[0] === QUOTE) return await readText(bytes);
    if (bytes[0] !== OPEN_OBJECT) return undefined;
    for await (const _ of decode(bytes, (at) => at + SLICE));
    return bytes;
  } catch {
    return undefined;
  }
}

async function readText(bytes: Buffer): Promise<Uint8Array> {
  const isClosed = bytes.length > 1 && bytes.at(-1) === QUOTE;
  if (!isClosed) throw new Error('the text does not end');
  const inner = bytes.subarray(1, -1);
  const parts: Buffer[] = [];
  for await (const part of decode(inner, (at) => endOfSlice(inner, at))) parts.push(Buffer.from(JSON.parse(`"${part}"`)));
  return joinBytes(parts);
}

/** Decodes UTF-8 in slices. `cut` returns the end of the slice that begins at `at`. */
async function* decode(bytes: Buffer, cut: (at: number) => number): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(cut(at), bytes.length);
    yield decoder.decode(bytes.subarray(at, end), { stream: end < bytes.length });
    at = end;
    await breathe();
  }
}

/** The returned end divides no escape and no surrogate pair. */
function endOfSlice(text: Buffer, from: number): number {
  let at = from;
  while (at < from + SLICE && at < text.length) {
    if (text[at] !== BACKSLASH) at += 1;
    else at += text[at + 1] === U ? ESCAPE : 2;
  }
  return LOW_SURROGATE.test(text.toString('latin1', at, at + ESCAPE)) ? at + ESCAPE : at;
}

/** Number of bytes of an escape such as `\u00e4`. */
const ESCAPE = 6;
const LOW_SURROGATE = /^\\ud[c-f]/i;

/**
 * Returns the spans of the values without surrounding space, or undefined if more than
 * `restMaxBytes` are outside them.
 */
async function findValues(body: Buffer, field: string, restMaxBytes: number): Promise<[number, number][] | undefined> {
  const name = Buffer.from(JSON.stringify(field));
  const found: [number, number][] = [];
  let depth = 0;
  let textStart = NONE;
  /** Whether the last text equals `field`. It is a name only if a colon follows. */
  let isNamed = false;
  let start = NONE;
  let last = NONE;
  let inValues = 0;
  let sliceEnd = SLICE;
  for (let at = 0; at < body.length; at += 1) {
    if (at >= sliceEnd) {
      sliceEnd = at + SLICE;
      if (start === NONE && at - inValues > restMaxBytes) return undefined;
      await breathe();
    }
    const byte = body[at]!;
    if (textStart !== NONE) {
      if (byte === BACKSLASH) at += 1;
      if (byte !== QUOTE) continue;
      isNamed = depth === 1 && start === NONE && body.subarray(textStart, at + 1).equals(name);
      textStart = NONE;
      last = at;
      continue;
    }
    if (isSpace(byte)) {
      if (start === at) start += 1;
      continue;
    }
    if (byte === QUOTE) textStart = at;
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth += 1;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth -= 1;
    if (start !== NONE && ((depth === 1 && byte === COMMA) || depth === 0)) {
      const end = Math.max(start, last + 1);
      found.push([start, end]);
      inValues += end - start;
      start = NONE;
    }
    if (isNamed && byte === COLON) start = at + 1;
    isNamed = false;
    last = at;
  }
  return body.length - inValues > restMaxBytes ? undefined : found;
}

const NONE = -1;

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}
