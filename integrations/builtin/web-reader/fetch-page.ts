import { STATUS_CODES } from 'node:http';
import { cutText } from '../../../domain/cut-text.ts';
import { GatewayError } from '../../../domain/errors.ts';
import { ANSWER_MAX_BYTES } from '../../../domain/limits.ts';
import type { OutboundResponse } from '../../../domain/outbound.ts';
import { hiderOf } from '../../../domain/redaction/hide-secrets.ts';
import { type ActionContext, ActionError } from '../../definition.ts';
import { secretsSent } from '../http/secrets-sent.ts';
import { parsePage } from './parse-page.ts';

const MAX_REDIRECTS = 5;

/** The part of an action's context that reading a page needs. */
export type Reach = Pick<ActionContext, 'outbound' | 'signal' | 'schedule'>;

/** `url`: the address that answered, after redirects. */
export interface FetchedPage {
  url: string;
  contentType: string;
  isHtml: boolean;
  text: string;
}

/**
 * Fetches a text page of at most ANSWER_MAX_BYTES. Throws ActionError for another media type, and
 * for a status other than 2xx.
 */
export async function fetchPage(context: Reach, address: string): Promise<FetchedPage> {
  const { outbound, signal } = context;
  const answer = await outbound.request({
    ...{ url: address, redirects: MAX_REDIRECTS, maxBytes: ANSWER_MAX_BYTES, cutsFailures: true, signal },
    headers: {
      accept: 'text/html, application/xhtml+xml, text/*;q=0.8, application/json;q=0.5, */*;q=0.1',
      'accept-language': 'en;q=0.8, *;q=0.5',
    },
  });
  const { host } = new URL(answer.url);
  if (answer.status < 200 || answer.status > 299) throw await refusal(context, address, answer);
  const contentType = mediaTypeOf(answer);
  const isHtml = HTML.has(contentType);
  if (!isHtml && !TEXT.test(contentType))
    throw new ActionError(`${host} answered ${contentType.slice(0, 100)}, which is not a page of text.`);
  return { url: answer.url, contentType, isHtml, text: decode(answer, isHtml) };
}

/** Like `fetchPage`, but also throws ActionError if the page is not HTML. */
export async function fetchHtml(context: Reach, address: string): Promise<FetchedPage> {
  const page = await fetchPage(context, address);
  if (page.isHtml) return page;
  throw new ActionError(`${new URL(page.url).host} answered ${page.contentType.slice(0, 100)}, which is not HTML.`);
}

const SAID_MAX_LENGTH = 1000;
/** Error pages are short. */
const SAID_MAX_HTML_LENGTH = 128 * 1024;

async function refusal(context: Reach, address: string, answer: OutboundResponse): Promise<ActionError> {
  const { status, url } = answer;
  const said = hiderOf(secretsSent(address))(await readSaid(context, answer), SAID_MAX_LENGTH);
  const body = cutText(said, SAID_MAX_LENGTH);
  return new ActionError(`${new URL(url).host} answered ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd(), {
    status,
    ...(body && { body }),
  });
}

async function readSaid(context: Reach, answer: OutboundResponse): Promise<string> {
  const contentType = mediaTypeOf(answer);
  const isHtml = HTML.has(contentType);
  if (!isHtml) return TEXT.test(contentType) ? decode(answer, false) : '';
  try {
    const html = cutText(decode(answer, true), SAID_MAX_HTML_LENGTH);
    return (await parsePage({ html, url: answer.url }, { kind: 'text' }, context)).content;
  } catch (error) {
    context.signal.throwIfAborted();
    // The status is more useful than the reason why the page cannot be read.
    if (error instanceof GatewayError) return '';
    throw error;
  }
}

const HTML = new Set(['text/html', 'application/xhtml+xml']);
const TEXT = /^(?:text\/.+|application\/(?:[\w.-]+\+)?(?:json|xml|yaml|x-yaml|javascript|x-ndjson))$/;

function mediaTypeOf({ headers }: OutboundResponse): string {
  const type = (headers['content-type'] ?? '').split(/[;,]/, 1)[0]!.trim().toLowerCase();
  return type === '' ? 'text/html' : type;
}

/** A page must declare its encoding within this many bytes (HTML standard). */
const PRESCAN_BYTES = 1024;

function decode({ headers, body }: OutboundResponse, isHtml: boolean): string {
  const head = isHtml ? body.subarray(0, PRESCAN_BYTES).toString('latin1') : '';
  const said = byteOrderMark(body) ?? charsetIn(headers['content-type'] ?? '') ?? charsetIn(head);
  return (said && tryDecode(said, body)) ?? tryDecode('utf-8', body, { fatal: true }) ?? new TextDecoder('windows-1252').decode(body);
}

function byteOrderMark(body: Buffer): string | undefined {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return 'utf-8';
  if (body[0] === 0xfe && body[1] === 0xff) return 'utf-16be';
  return body[0] === 0xff && body[1] === 0xfe ? 'utf-16le' : undefined;
}

/** The third party controls the length, and the search may take quadratic time. */
const CHARSET_WITHIN = PRESCAN_BYTES;

function charsetIn(text: string): string | undefined {
  return /charset\s{0,20}=\s{0,20}["']?\s{0,20}([\w:.-]{1,100})/i.exec(text.slice(0, CHARSET_WITHIN))?.[1];
}

function tryDecode(encoding: string, body: Buffer, options: { fatal?: boolean } = {}): string | undefined {
  try {
    return new TextDecoder(encoding, options).decode(body);
  } catch {
    return undefined;
  }
}
