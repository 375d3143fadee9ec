import { normalText } from './normal-text.ts';

/**
 * Returns a host in lower case, without trailing dots, with international names in ASCII and IP
 * addresses in standard notation. Other text is normalized by `normalText`.
 */
export function normalHost(host: string): string {
  const text = withoutTrailingDots(normalText(host));
  if ((PLAIN.test(text) && !NEEDS_PARSER.test(text)) || NO_HOST.test(text)) return text;
  const parsed = URL.parse(`http://${text}/`)?.hostname;
  return parsed ? mappedAddress(withoutTrailingDots(parsed)) : text;
}

/**
 * Returns a host pattern in normal form. Labels with `*` are normalized only by `normalText`.
 */
export function normalHostPattern(pattern: string): string {
  if (!pattern.includes('*')) return normalHost(pattern);
  const labels = withoutTrailingDots(normalText(pattern)).split('.');
  return labels.map((label) => (label.includes('*') || label === '' ? label : normalHost(`${label}.x`).replace(/\.x$/, ''))).join('.');
}

/**
 * Returns a host with its international labels in Unicode. Undefined if it has none or is too long.
 */
export function unicodeHost(host: string): string | undefined {
  if (!host.includes('xn--') || host.length > MAX_HOST) return undefined;
  return host
    .split('.')
    .map((label) => (label.startsWith('xn--') ? (decodePunycode(label.slice(4)) ?? label) : label))
    .join('.');
}

const PLAIN = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/;
/** International labels have several spellings, and a number can be an IP address. */
const NEEDS_PARSER = /xn--|(?:^|\.)(?:\d+|0x[0-9a-f]*)$/;
/** The parser would read only a part of a text with these characters. */
const NO_HOST = /[/\\?#@\s]/;
const MAX_HOST = 253;

function withoutTrailingDots(host: string): string {
  let end = host.length;
  while (host[end - 1] === '.') end -= 1;
  return host.slice(0, end);
}

/** Converts `[::ffff:…]` to an IPv4 address, because both reach the same machine. */
function mappedAddress(host: string): string {
  const found = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(host);
  if (!found) return host;
  const [high, low] = [Number.parseInt(found[1]!, 16), Number.parseInt(found[2]!, 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** RFC 3492, section 6.2. Undefined if the text is not Punycode. */
function decodePunycode(text: string): string | undefined {
  const basic = text.lastIndexOf('-');
  const points = basic > 0 ? Array.from(text.slice(0, basic), (letter) => letter.charCodeAt(0)) : [];
  let [code, bias, index] = [128, 72, 0];
  for (let at = basic > 0 ? basic + 1 : 0; at < text.length; ) {
    const before = index;
    for (let [weight, step] = [1, 36]; ; step += 36) {
      const digit = 'abcdefghijklmnopqrstuvwxyz0123456789'.indexOf(text[at++] ?? ' ');
      if (digit < 0) return undefined;
      index += digit * weight;
      const threshold = Math.min(Math.max(step - bias, 1), 26);
      if (digit < threshold) break;
      weight *= 36 - threshold;
    }
    bias = adaptedBias(index - before, points.length + 1, before === 0);
    code += Math.floor(index / (points.length + 1));
    index %= points.length + 1;
    if (code > 0x10ffff) return undefined;
    points.splice(index++, 0, code);
  }
  return String.fromCodePoint(...points);
}

function adaptedBias(delta: number, length: number, isFirst: boolean): number {
  let rest = Math.floor(delta / (isFirst ? 700 : 2));
  rest += Math.floor(rest / length);
  let steps = 0;
  for (; rest > 455; steps += 36) rest = Math.floor(rest / 35);
  return steps + Math.floor((36 * rest) / (rest + 38));
}
