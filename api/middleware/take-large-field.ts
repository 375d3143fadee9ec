import { breathe } from '../../infra/event-loop.ts';

/** A body without its large field, and that field as text. */
export interface TakenField {
  /** The body, with `null` in the place of the value. */
  rest: Buffer;
  /** A text as it is, another value as its JSON; undefined where the body has no such field. */
  value: string | undefined;
}

const SLICE = 1024 * 1024;
const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];
const OPENING = new Set([0x7b, 0x5b]);
const CLOSING = new Set([0x7d, 0x5d]);

/**
 * Takes the value of one field out of a JSON object without parsing it, in slices between which
 * others get their turn. Of several fields of this name, the last one counts, as in JSON.parse. A
 * body that is not JSON stays as it is, for the parser to refuse.
 */
export async function takeLargeField(body: Buffer, field: string): Promise<TakenField> {
  const places = await findValues(body, field);
  const [start, end] = places.at(-1) ?? [];
  if (start === undefined) return { rest: body, value: undefined };
  const parts: Buffer[] = [];
  let from = 0;
  for (const [begin, stop] of places) {
    parts.push(body.subarray(from, begin), Buffer.from('null'));
    from = stop;
  }
  parts.push(body.subarray(from));
  return { rest: Buffer.concat(parts), value: readValue(body.subarray(start, end)) };
}

/** Undefined for null and for what is no value, so that the schema judges it. */
function readValue(bytes: Buffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes).trim();
    if (text.startsWith('"')) return JSON.parse(text) as string;
    return text === 'null' ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Where the values of a field of the outermost object begin and end. */
async function findValues(body: Buffer, field: string): Promise<[number, number][]> {
  const name = Buffer.from(JSON.stringify(field));
  const found: [number, number][] = [];
  let depth = 0;
  let start: number | undefined;
  let sliceEnd = SLICE;
  for (let at = 0; at < body.length; at += 1) {
    if (at >= sliceEnd) {
      sliceEnd = at + SLICE;
      await breathe();
    }
    const byte = body[at]!;
    if (byte === QUOTE) {
      const end = endOfText(body, at);
      const isName = depth === 1 && start === undefined && body.subarray(at, end).equals(name);
      at = end - 1;
      if (!isName) continue;
      const colon = skipSpace(body, end);
      if (body[colon] !== COLON) continue;
      start = colon + 1;
      at = colon;
    } else if (OPENING.has(byte)) depth += 1;
    else if (CLOSING.has(byte)) depth -= 1;
    if (start !== undefined && ((depth === 1 && byte === COMMA) || depth === 0)) {
      found.push([start, at]);
      start = undefined;
    }
  }
  return found;
}

/** The place after the text that begins here. */
function endOfText(body: Buffer, start: number): number {
  for (let at = start + 1; ; ) {
    const quote = body.indexOf(QUOTE, at);
    if (quote === -1) return body.length;
    let slashes = 0;
    while (body[quote - 1 - slashes] === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}

function skipSpace(body: Buffer, from: number): number {
  let at = from;
  while (body[at] === 0x20 || body[at] === 0x09 || body[at] === 0x0a || body[at] === 0x0d) at += 1;
  return at;
}
