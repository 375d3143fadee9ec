import { normalHost, normalHostPattern, unicodeHost } from './normal-host.ts';
import { hiddenAsBlanks, isAsciiText, isDisguised, normalText, percentDecoded } from './normal-text.ts';

/** The recipients that a text names. */
export interface Recipients {
  /** The recipients as the text writes them, to show to people. */
  written: string[];
  /** The recipients in normal form. An allowlist must contain all of them. */
  named: string[];
  /** Every reading that a mail system could use. A denylist fires if it contains one of them. */
  readings: string[];
  /** See `isDisguised` in normal-text.ts. An allowlist never allows such a text. */
  isDisguised: boolean;
}

/** Reads a text that names recipients, in linear time. */
export function readRecipients(text: string): Recipients {
  if (SIMPLE.test(text)) return { written: [text], named: [text], readings: withTag(text), isDisguised: false };
  const whole = normalText(text).trim();
  const readings = new Set<string>();
  const spaced = isAsciiText(text) ? whole : normalText(hiddenAsBlanks(text)).trim();
  for (const reading of new Set([whole, spaced, ...percentDecoded(whole).map(normalText)])) addReadings(reading, readings);
  return { written: splitNames(text), named: partsOf(whole), readings: [...readings], isDisguised: isDisguised(text) };
}

/** Returns an entry of a recipient list in normal form. `*` matches any text. */
export function normalRecipientPattern(entry: string): string {
  const whole = normalText(entry).trim().replace(MAILTO, '');
  const part = withoutTrailingDots(NAMED.exec(whole)?.[1]?.trim() ?? whole);
  if (PHONE_PATTERN.test(part)) return plainPhone(part);
  const at = part.lastIndexOf('@');
  return at > 0 && HOST_PATTERN.test(part.slice(at + 1)) ? part.slice(0, at + 1) + normalHostPattern(part.slice(at + 1)) : part;
}

/** Returns the readings of a denylist entry, for example without quotes and comments. */
export function deniedReadings(entry: string): string[] {
  const pattern = normalRecipientPattern(entry);
  if (pattern.includes('*')) return [pattern, ...(MARK.test(pattern) ? [pattern.slice(1)] : [])];
  const readings = new Set([pattern, normalText(entry).trim()]);
  addReadings(pattern, readings, false);
  return [...readings];
}

/** Most addresses have this form, which is already normal. */
const SIMPLE = /^(?!.*xn--)[a-z0-9_'-]+(?:\.[a-z0-9_'-]+)*(?:\+[a-z0-9-]*)?@(?:[a-z0-9-]+\.)+[a-z]+$/;
const NAMED = /^[^<>@]*<([^<>]*)>\s*$/;
const MAILTO = /^(?:mailto|tel|sms|sip):(?:\/\/)?/;
const HOST_NAME = /^(?:[\p{L}\p{M}\p{N}._-]+|\[[0-9a-f:.]+\])$/u;
const HOST_PATTERN = /^[\p{L}\p{M}\p{N}._*-]+$/u;
const MARK = /^[@#](?!\*)/;
const PHONE = /^(?:tel:|sms:)?\+?[\d\s()./-]{5,40}$/;
const PHONE_PATTERN = /^(?:tel:|sms:)?\+?[\d\s()./*-]{5,40}$/;

function splitNames(text: string): string[] {
  return text
    .split(/[,;\r\n]/)
    .map((part) => (NAMED.exec(part)?.[1] ?? part).trim())
    .filter((part) => part !== '');
}

function partsOf(text: string): string[] {
  return splitNames(text).map((part) => (PHONE.test(part) ? plainPhone(part) : withNormalHost(part)));
}

function addReadings(text: string, readings: Set<string>, withoutTags = true): void {
  const add = (reading: string) => {
    const part = withNormalHost(withoutTrailingDots(reading.trim()));
    if (part === '') return;
    readings.add(part);
    for (const other of otherNames(part)) readings.add(other);
    if (withoutTags && part.includes('@')) for (const other of withTag(part)) readings.add(other);
  };
  const uncommented = /[()]/.test(text) ? withoutComments(text) : text;
  const unquoted = /["\\]/.test(uncommented) ? uncommented.replace(/\\(.)/gs, '$1').replaceAll('"', '') : uncommented;
  const tight = unquoted.includes('@') ? unquoted.replace(/[^\S\r\n]+/g, '') : unquoted;
  const joined = unquoted.includes('@') ? unquoted.replace(/\s+/g, '') : unquoted;
  for (const reading of new Set([text, uncommented, unquoted, tight, joined])) {
    add(reading);
    for (const part of partsOf(reading)) add(part);
    for (const part of reading.split(/[\s,;:<>()[\]"'?&=|/\\]+/)) if (part.lastIndexOf('@') > 0) add(part);
  }
  // Some mail systems use only the address, without a prefix such as `mailto:`.
  if (MAILTO.test(text)) for (const part of partsOf(text.replace(MAILTO, '').replace(/\?.*$/s, ''))) add(part);
}

/** Returns further readings, such as those of older mail systems. */
function otherNames(part: string): string[] {
  if (PHONE.test(part)) return [plainPhone(part)];
  if (MARK.test(part)) return [part.slice(1)];
  const at = part.lastIndexOf('@');
  if (at <= 0) return part.includes('@') ? [] : [`@${part}`, `#${part}`];
  const local = part.slice(0, at);
  const unicode = unicodeHost(part.slice(at + 1));
  const routed = /^(.+)[%@]([^%@]+)$/.exec(local) ?? undefined;
  const bang = /^(.*!)?([^!]+)!([^!]+)$/.exec(local) ?? undefined;
  return [
    ...(unicode ? [`${local}@${unicode}`] : []),
    ...(routed ? [withNormalHost(`${routed[1]}@${routed[2]}`)] : []),
    ...(bang ? [withNormalHost(`${bang[3]}@${bang[2]}`)] : []),
  ];
}

/** Mail to `name+tag` reaches `name`. */
function withTag(address: string): string[] {
  const plus = address.indexOf('+');
  const at = address.lastIndexOf('@');
  return plus > 0 && plus < at ? [address, address.slice(0, plus) + address.slice(at)] : [address];
}

function withNormalHost(part: string): string {
  const at = part.lastIndexOf('@');
  if (at <= 0) return part;
  const host = part.slice(at + 1);
  return HOST_NAME.test(host) ? part.slice(0, at + 1) + normalHost(host) : part;
}

/** Comments can be nested. Removes nothing if a parenthesis is not closed. */
function withoutComments(text: string): string {
  let kept = '';
  let depth = 0;
  for (const piece of text.split(/([()])/)) {
    if (piece === '(') depth += 1;
    else if (piece === ')') depth = Math.max(0, depth - 1);
    else if (depth === 0) kept += piece;
  }
  return depth === 0 ? kept : text;
}

function plainPhone(text: string): string {
  return text
    .replace(MAILTO, '')
    .replace(/[\s()./-]/g, '')
    .replace(/^00/, '+');
}

function withoutTrailingDots(text: string): string {
  let end = text.length;
  while (text[end - 1] === '.') end -= 1;
  return text.slice(0, end);
}
