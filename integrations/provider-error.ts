import { STATUS_CODES } from 'node:http';
import { isDeeperThan } from '../domain/is-deeper-than.ts';
import { BODY_MAX_DEPTH } from '../domain/limits.ts';
import type { OutboundResponse } from '../domain/outbound.ts';
import { ActionError } from './definition.ts';
import { parseScrubbed, type Scrub } from './provider-secrets.ts';
import { readXml, xmlValue } from './provider-xml.ts';

/** The third party's error. */
export interface Said {
  message?: string | null | undefined;
  code?: string | number | null | undefined;
  unauthorized?: boolean;
}

/** Reads the error from a body. Undefined for a body that the reader does not understand. */
export type ErrorReader = (body: unknown) => Said | undefined;

/** Applies a reader, if there is one. */
export function readSaid(reader: ErrorReader | undefined, body: unknown): Said | undefined {
  return reader?.(body);
}

/** The error in an answer with a failing status. */
export function saidBy(response: OutboundResponse, reader: ErrorReader | undefined, scrub: Scrub): Said {
  const text = response.body.toString();
  const isMarkup = /^\s*</.test(text);
  const root = isMarkup ? readXml(scrub(text)) : undefined;
  const body = root && reader ? { [root.name]: xmlValue(root) } : parseLeniently(text, scrub);
  const said = readSaid(reader, body) ?? (root && readSaid(reader, scrub(text)));
  return said ?? (isMarkup ? {} : { message: typeof body === 'string' ? body : JSON.stringify(body) });
}

export interface Refusal {
  displayName: string;
  response: OutboundResponse;
  said: Said;
  scrub: Scrub;
  now: Date;
}

/** Makes the error for the caller, without secrets. */
export function thirdPartyError({ displayName, response, said, scrub, now }: Refusal): ActionError {
  const { status } = response;
  const code = said.code === null || said.code === undefined || said.code === '' ? undefined : tidy(String(said.code), 100, scrub);
  const message = tidy(said.message ?? '', MESSAGE_MAX_LENGTH, scrub);
  const quoted = [message, code && `(${code})`].filter(Boolean).join(' ');
  const reason = reasonOf(response, said);
  const retryAfterSeconds = reason === 'rate_limited' ? retryAfter(response, now) : undefined;
  return new ActionError(sentence({ displayName, status, reason, retryAfterSeconds, quoted }), {
    status,
    ...(code !== undefined && { code }),
    ...(reason && { reason }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

const MESSAGE_MAX_LENGTH = 500;

type Reason = 'unauthorized' | 'rate_limited' | undefined;

function reasonOf({ status, headers }: OutboundResponse, said: Said): Reason {
  if (status === 401 || said.unauthorized) return 'unauthorized';
  const isSpent = status === 403 && (headers['retry-after'] !== undefined || headers['x-ratelimit-remaining'] === '0');
  return status === 429 || isSpent ? 'rate_limited' : undefined;
}

interface Failure {
  displayName: string;
  status: number;
  reason: Reason;
  retryAfterSeconds: number | undefined;
  quoted: string;
}

function sentence({ displayName, status, reason, retryAfterSeconds, quoted }: Failure): string {
  const tail = quoted ? `: ${quoted}` : '.';
  if (reason === 'unauthorized') return `${displayName} refused the credentials of the connected account; connect it again${tail}`;
  if (reason === 'rate_limited') {
    const when = retryAfterSeconds === undefined ? 'later' : `in ${retryAfterSeconds} s`;
    return `${displayName} takes no more calls at the moment; try again ${when}${tail}`;
  }
  if (status < 300) return `${displayName} refused${tail}`;
  return `${displayName} answered ${[status, STATUS_CODES[status]].filter(Boolean).join(' ')}${tail}`;
}

function retryAfter({ headers }: OutboundResponse, now: Date): number | undefined {
  const given = headers['retry-after'] ?? '';
  const seconds = /^\d+(\.\d+)?$/.test(given) ? Number(given) : secondsUntil(Date.parse(given) || resetAt(headers), now);
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : undefined;
}

function secondsUntil(milliseconds: number, now: Date): number {
  return (milliseconds - now.getTime()) / 1000;
}

/** Epoch ms. NaN if X-RateLimit-Reset is not a Unix time in seconds. */
function resetAt(headers: OutboundResponse['headers']): number {
  const reset = Number(headers['x-ratelimit-reset']);
  return reset > 1e9 ? reset * 1000 : Number.NaN;
}

/** Shortens a text and hides secrets, also keys that the third party has masked. */
function tidy(text: string, maxLength: number, scrub: Scrub): string {
  const clean = scrub(text)
    .replace(/[\s\u0000-\u001f\u007f]+/g, ' ')
    .trim();
  const cut = clean.length > maxLength ? `${clean.slice(0, maxLength).toWellFormed()}…` : clean;
  return cut.replace(/\S*\*{3,}\S*/g, '[redacted]');
}

function parseLeniently(text: string, scrub: Scrub): unknown {
  try {
    const body = parseScrubbed(text, scrub);
    return isDeeperThan(BODY_MAX_DEPTH, body) ? text : body;
  } catch {
    return text;
  }
}
