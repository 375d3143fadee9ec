import { REDACTED } from './redacted.ts';

/**
 * Hides runs of base64, hex or escapes that decode to a text that `redact` changes. A
 * `user:password` pair in base64 or hex is hidden too.
 */
export function hideEncoded(text: string, redact: (decoded: string) => string): string {
  const holdsSecret = (decoded: string) => decoded.length >= MIN_DECODED && redact(decoded) !== decoded;
  const tells = (decoded: string | undefined) => decoded !== undefined && (isPair(decoded) || holdsSecret(decoded));
  return text
    .replace(WORD, (word) => (ESCAPE.test(word) && holdsSecret(withoutEscapes(word)) ? REDACTED : word))
    .replace(HEX, (run) => (tells(readable(fromHex(run))) ? REDACTED : run))
    .replace(BASE64, (run) => (basesOf(run).some((part) => tells(readable(fromBase64(part)))) ? REDACTED : run));
}

const MIN_DECODED = 6;

const WORD = /[^\s"]{6,}/g;
const ESCAPE = /%[0-9a-f]{2}|\\u\{?[0-9a-f]{4}|\\x[0-9a-f]{2}|&#x?[0-9a-f]{2,6};/i;
const HEX = /(?<![0-9a-z])(?:0x)?(?:[0-9a-f]{2}){8,}(?![0-9a-z])/gi;
const BASE64 = /[0-9A-Za-z+/_-]{10,}(?:\r?\n[0-9A-Za-z+/_-]{4,})*={0,2}/g;

/** Whether a text looks like `user:password`, a common content of base64 and hex. */
function isPair(text: string): boolean {
  return /^[^\s:/]{1,100}:(?!\/\/)\S{3,}$/.test(text) && !/^\w+:\d+$/.test(text);
}

function withoutEscapes(word: string): string {
  return word.replace(/%([0-9a-f]{2})|\\u\{?([0-9a-f]{4})\}?|\\x([0-9a-f]{2})|&#(?:x([0-9a-f]{2,6})|(\d{2,6}));/gi, (_, ...codes) => {
    const decimal = codes[4] as string | undefined;
    const code =
      decimal === undefined
        ? Number.parseInt(
            codes.find((found) => found !== undefined),
            16,
          )
        : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : '';
  });
}

function fromHex(run: string): string {
  return run.replace(/^0x/i, '').replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16)));
}

function basesOf(run: string): string[] {
  const whole = run.replace(/[\r\n]+/g, '');
  const parts = whole.split(/[/_+-]/).filter((part) => part.length >= 10 && part.length < whole.length);
  return [whole, ...parts];
}

function fromBase64(run: string): string | undefined {
  const plain = run.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '');
  try {
    return atob(plain.length % 4 === 1 ? plain.slice(0, -1) : plain);
  } catch {
    return undefined;
  }
}

function readable(bytes: string | undefined): string | undefined {
  if (bytes === undefined) return undefined;
  const narrow = /^(?:[\t\n\r\x20-\x7e]\0)+$/.test(bytes) ? bytes.replaceAll('\0', '') : bytes;
  if (/[^\t\n\r\x20-\x7e\x80-\xff]/.test(narrow)) return undefined;
  if (!/[\x80-\xff]/.test(narrow)) return narrow;
  if (NO_UTF8.test(narrow)) return undefined;
  try {
    return DECODER.decode(Uint8Array.from(narrow, (byte) => byte.charCodeAt(0)));
  } catch {
    return undefined;
  }
}

const DECODER = new TextDecoder('utf-8', { fatal: true });

/**
 * Matches most bytes that are not text. Faster than the exception of the decoder, which finds the
 * rest.
 */
const NO_UTF8 = /(?:^|[\0-\x7f])[\x80-\xbf]|[\xc2-\xf4](?![\x80-\xbf])|[\xc0\xc1\xf5-\xff]/;
