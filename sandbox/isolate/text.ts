import { charCodeAt, defineProperty, fromCharCode, RealError, slice, toText, utf8Length } from './primordials.ts';

/** The standard TextEncoder, which knows UTF-8 only. */
export class TextEncoder {
  get encoding() {
    return 'utf-8';
  }

  encode(input: unknown = ''): Uint8Array {
    const text = toText(input).toWellFormed();
    const bytes = new Uint8Array(utf8Length(text));
    writeUtf8(text, bytes);
    return bytes;
  }

  encodeInto(input: unknown, target: Uint8Array): { read: number; written: number } {
    return writeUtf8(toText(input).toWellFormed(), target);
  }
}

/** A TextDecoder for UTF-8 only, without streaming. */
export class TextDecoder {
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;

  constructor(label: unknown = 'utf-8', options: { fatal?: boolean; ignoreBOM?: boolean } = {}) {
    if (!/^\s*(utf-?8|unicode-1-1-utf-8)\s*$/i.test(toText(label)))
      throw new RangeError(`TextDecoder knows utf-8 only, not ${toText(label)}`);
    this.fatal = Boolean(options.fatal);
    this.ignoreBOM = Boolean(options.ignoreBOM);
  }

  get encoding() {
    return 'utf-8';
  }

  decode(input?: ArrayBuffer | ArrayBufferView): string {
    if (input === undefined) return '';
    const bytes = ArrayBuffer.isView(input) ? new Uint8Array(input.buffer, input.byteOffset, input.byteLength) : new Uint8Array(input);
    const text = readUtf8(bytes, this.fatal);
    return !this.ignoreBOM && charCodeAt(text, 0) === 0xfeff ? slice(text, 1) : text;
  }
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

export function btoa(input: unknown): string {
  const text = toText(input);
  let out = '';
  for (let index = 0; index < text.length; index += 3) {
    const [a, b, c] = [charCodeAt(text, index), charCodeAt(text, index + 1), charCodeAt(text, index + 2)];
    if (a > 255 || b > 255 || c > 255)
      throw invalidCharacter('btoa takes characters up to U+00FF; encode other text with TextEncoder first');
    const bits = (a << 16) | ((b || 0) << 8) | (c || 0);
    out +=
      DIGITS[bits >> 18]! +
      DIGITS[(bits >> 12) & 63] +
      (index + 1 < text.length ? DIGITS[(bits >> 6) & 63] : '=') +
      (index + 2 < text.length ? DIGITS[bits & 63] : '=');
  }
  return out;
}

export function atob(input: unknown): string {
  let text = toText(input).replace(/[\t\n\f\r ]/g, '');
  if (text.length % 4 === 0) text = text.replace(/={1,2}$/, '');
  if (text.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(text)) throw invalidCharacter('atob needs base64 text');
  let out = '';
  let bits = 0;
  let held = 0;
  for (const digit of text) {
    bits = ((bits << 6) | DIGITS.indexOf(digit)) & 0xffff;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    out += fromCharCode((bits >> held) & 255);
  }
  return out;
}

function invalidCharacter(message: string): Error {
  return defineProperty(new RealError(message), 'name', { value: 'InvalidCharacterError', writable: true, configurable: true });
}

function writeUtf8(text: string, target: Uint8Array): { read: number; written: number } {
  let read = 0;
  let written = 0;
  for (const character of text) {
    const point = character.codePointAt(0)!;
    const size = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    if (written + size > target.length) break;
    for (let tail = size - 1; tail > 0; tail--) target[written + tail] = 0x80 | ((point >> (6 * (size - 1 - tail))) & 63);
    target[written] = size === 1 ? point : ((0xf00 >> size) & 0xff) | (point >> (6 * (size - 1)));
    written += size;
    read += character.length;
  }
  return { read, written };
}

/** Writes one U+FFFD for each broken sequence, as in the standard. */
function readUtf8(bytes: Uint8Array, isFatal: boolean): string {
  let out = '';
  let index = 0;
  while (index < bytes.length) {
    const lead = bytes[index++]!;
    if (lead < 0x80) {
      out += fromCharCode(lead);
      continue;
    }
    const tails = lead >= 0xc2 && lead < 0xe0 ? 1 : lead >= 0xe0 && lead < 0xf0 ? 2 : lead >= 0xf0 && lead < 0xf5 ? 3 : 0;
    let [lower, upper] = [lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80, lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf];
    let point = lead & (0x3f >> tails);
    let left = tails;
    for (; left > 0 && index < bytes.length && bytes[index]! >= lower && bytes[index]! <= upper; left--) {
      point = (point << 6) | (bytes[index++]! & 63);
      [lower, upper] = [0x80, 0xbf];
    }
    const isBroken = tails === 0 || left > 0;
    if (isBroken && isFatal) throw new TypeError('The bytes are not UTF-8');
    out += isBroken ? '\uFFFD' : String.fromCodePoint(point);
  }
  return out;
}
