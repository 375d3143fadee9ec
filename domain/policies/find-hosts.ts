import { normalHost } from './normal-host.ts';
import { hiddenAsBlanks, isAsciiText, isDisguised, percentDecoded, plainText } from './normal-text.ts';
import { WorkBudget } from './work-budget.ts';

/** The hosts found in a text. */
export interface FoundHosts {
  hosts: Set<string>;
  /** See `isDisguised` in normal-text.ts. */
  isDisguised: boolean;
  /** Whether a host was found only in a normalized or decoded reading. */
  isDerived?: boolean;
}

/**
 * Adds the hosts of URLs and e-mail addresses in every reading of a text. Returns false if the work
 * budget is used up.
 */
export function findHosts(text: string, found: FoundHosts, work = new WorkBudget()): boolean {
  if (!addHosts(text, found, work)) return false;
  const isPlain = isAsciiText(text);
  if (!isPlain && !work.spend(text.length * PER_CHARACTER.normalised)) return false;
  const plain = isPlain ? text : plainText(text);
  const readings = plain === text ? [] : [plain, hiddenAsBlanks(text)];
  if (ESCAPE.test(plain)) {
    if (!work.spend(text.length * PER_CHARACTER.withEscapes + (plain.split('%').length - 1) * PER_ESCAPE)) return false;
    readings.push(...percentDecoded(plain.replace(URLS, ' ')).map(plainText));
  }
  const asWritten = found.hosts.size;
  const isWhole = readings.every((reading) => reading === text || addHosts(reading, found, work));
  if (found.hosts.size > asWritten) found.isDerived = true;
  return isWhole;
}

const ESCAPE = /%[0-9a-f]{2}/i;
const PER_CHARACTER = { normalised: 40, withEscapes: 5 };
const PER_ESCAPE = 250;

/**
 * URLs. Their escapes are not decoded, because only the server decodes them. If the server
 * redirects to an escaped address, the redirect is judged.
 */
const URLS = /[a-z][a-z0-9+.-]{0,20}:\/\/[^\s"'<>]*/gi;

/** Costs in units of work. A place is a position where a host can begin. */
const PER_TEXT = 200;
const PER_PLACE = 150;
const PER_HOST = 800;

function addHosts(text: string, found: FoundHosts, work: WorkBudget): boolean {
  if (!work.spend(PER_TEXT + text.length)) return false;
  return (
    addWholeUrl(text, found, work) && addUrls(text, found, work) && addMailHosts(text, found, work) && addBareSlashes(text, found, work)
  );
}

const MAY_BE_URL = /^[\0- ]*(?:[hwf][^:]{0,20}:|[\\/][\t\n\r]*[\\/])/i;
/** When a whole text is read as one URL, characters after this number are ignored. */
const URL_MAX_LENGTH = 16_384;

/**
 * Clients read `https:host`, `http:\\host` and `//host` as URLs of `host`, and ignore line breaks
 * in a name.
 */
function addWholeUrl(text: string, found: FoundHosts, work: WorkBudget): boolean {
  if (!MAY_BE_URL.test(text)) return true;
  const start = text.slice(0, URL_MAX_LENGTH);
  if (!work.spend(PER_HOST + start.length * 5)) return false;
  const host = URL.parse(start, 'https://relative.invalid')?.hostname;
  // `\\server\share` is a file server, not a web address.
  if (host && host !== 'relative.invalid' && (!text.startsWith('\\\\') || DOT.test(host) || ADDRESS.test(host))) add(host, found);
  return true;
}

const CLIENT_SCHEME = /(?:https?|wss?|ftp)$/i;

/** Clients accept some schemes with any number of slashes or backslashes. */
function addUrls(text: string, found: FoundHosts, work: WorkBudget): boolean {
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) {
    if (!work.spend(PER_PLACE)) return false;
    const isPlain = text.startsWith('//', at + 1);
    if (!isPlain && !CLIENT_SCHEME.test(text.slice(Math.max(0, at - 5), at))) continue;
    let start = at + 1;
    while (text[start] === '/' || text[start] === '\\') start += 1;
    if (!work.spend(start - at) || !addUrlHost(text, isPlain ? at + 3 : start, found, work, !isPlain)) return false;
    if (isPlain && start > at + 3 && !addUrlHost(text, start, found, work, true)) return false;
    at = start - 1;
  }
  return true;
}

const BEFORE_RELATIVE = /[\s"'`(<>=,;[{|]/;

/** `//host` has the scheme of its page. Backslashes count as slashes. */
function addBareSlashes(text: string, found: FoundHosts, work: WorkBudget): boolean {
  for (const slashes of ['//', '\\\\', '/\\', '\\/']) {
    for (let at = text.indexOf(slashes); at !== -1; at = text.indexOf(slashes, at + 2)) {
      if (!work.spend(PER_PLACE)) return false;
      if (at > 0 && !BEFORE_RELATIVE.test(text[at - 1]!)) continue;
      let start = at + 2;
      while (text[start] === '/' || text[start] === '\\') start += 1;
      if (!work.spend(start - at) || !addUrlHost(text, start, found, work, true)) return false;
      at = start - 2;
    }
  }
  return true;
}

/** Ends before the next `://`, so no character is read as part of two URLs. */
const AUTHORITY = /[^\s/\\?#"'<>`]+/y;
const URL_HOST = /^(?:\[[0-9a-f:.]+\]|[^:,;()[\]{}|^*!$&=+~]+)/i;

function addUrlHost(text: string, start: number, found: FoundHosts, work: WorkBudget, needsDot: boolean): boolean {
  AUTHORITY.lastIndex = start;
  const authority = AUTHORITY.exec(text)?.[0];
  if (authority === undefined) return true;
  if (!work.spend(PER_HOST + authority.length * 10)) return false;
  const host = URL_HOST.exec(authority.slice(authority.lastIndexOf('@') + 1))?.[0];
  if (host && (!needsDot || DOT.test(host) || ADDRESS.test(host))) add(host, found);
  return true;
}

/** A name without a dot is a host only after `://`. */
const DOT = /[^.][.\u3002\uff0e\uff61][^.]/;
const ADDRESS = /^(?:\[|\d{4,}$|0x[0-9a-f]+$)/i;

const NO_LOCAL_PART = /[\s@<>"',;]/;
const ASCII_NAME = /[a-z0-9_.-]+/iy;
const ANY_NAME = /[\p{L}\p{M}\p{N}_.\u3002\uff0e\uff61-]+/uy;
const LITERAL = /\[(?:ipv6:)?([0-9a-f:.]+)\]/iy;

function addMailHosts(text: string, found: FoundHosts, work: WorkBudget): boolean {
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    if (!work.spend(PER_PLACE)) return false;
    // A quoted local part ends with a quote.
    if (at === 0 || (NO_LOCAL_PART.test(text[at - 1]!) && text[at - 1] !== '"')) continue;
    if (!addMailHost(text, at + 1, found, work)) return false;
  }
  return true;
}

function addMailHost(text: string, start: number, found: FoundHosts, work: WorkBudget): boolean {
  LITERAL.lastIndex = start;
  const literal = text[start] === '[' ? LITERAL.exec(text)?.[1] : undefined;
  if (literal) add(literal.includes(':') ? `[${literal}]` : literal, found);
  let length = 0;
  // Letters of another script may or may not belong to the name, so both readings count.
  for (const name of [ASCII_NAME, ANY_NAME]) {
    name.lastIndex = start;
    const host = name.exec(text)?.[0];
    if (!host || host.length === length) continue;
    length = host.length;
    if (!DOT.test(host)) {
      if (!work.spend(host.length)) return false;
      continue;
    }
    if (!work.spend(PER_HOST + host.length * 20)) return false;
    if (normalHost(host).includes('.')) add(host, found);
  }
  return true;
}

function add(host: string, found: FoundHosts): void {
  const normal = normalHost(host);
  if (normal === '') return;
  found.hosts.add(normal);
  found.isDisguised ||= isDisguised(host);
}
