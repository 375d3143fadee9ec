import { STATUS_CODES } from 'node:http';
import { GatewayError } from '../../domain/errors.ts';
import { hiderOf } from '../../domain/hide-secrets.ts';
import type { OutboundResponse } from '../../domain/outbound.ts';
import { type ActionContext, ActionError } from '../definition.ts';
import { cutText } from './cut-text.ts';
import { parsePage } from './parse-page.ts';
import { secretsSent } from './secrets-sent.ts';

const MAX_BYTES = 5 * 1024 * 1024;
const MAX_REDIRECTS = 5;

/** What reading a page takes. */
export type Reach = Pick<ActionContext, 'outbound' | 'signal' | 'inTurn'>;

/** A page as it came; `url` is the address that answered. */
export interface FetchedPage {
  url: string;
  contentType: string;
  isHtml: boolean;
  text: string;
}

/**
 * Fetches a page of text, at most 5 MB, following at most five redirects. Throws ActionError for another status than 2xx, with the
 * beginning of what the site said, and for what is not text.
 */
export async function fetchPage(context: Reach, address: string): Promise<FetchedPage> {
  const { outbound, signal } = context;
  const answer = await outbound.request({
    ...{ url: address, redirects: MAX_REDIRECTS, maxBytes: MAX_BYTES, cutsFailures: true, signal },
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

/** The same for what needs HTML. */
export async function fetchHtml(context: Reach, address: string): Promise<FetchedPage> {
  const page = await fetchPage(context, address);
  if (page.isHtml) return page;
  throw new ActionError(`${new URL(page.url).host} answered ${page.contentType.slice(0, 100)}, which is not HTML.`);
}

const SAID_MAX_LENGTH = 1000;
/** Pages that say what went wrong are short; of one that is not, the beginning is read. */
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
    // The status tells more than why its page cannot be read.
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

/** How many bytes of a page may come before it says how it is encoded (HTML standard). */
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

function charsetIn(text: string): string | undefined {
  return /charset\s*=\s*["']?\s*([\w:.-]+)/i.exec(text)?.[1];
}

function tryDecode(encoding: string, body: Buffer, options: { fatal?: boolean } = {}): string | undefined {
  try {
    return new TextDecoder(encoding, options).decode(body);
  } catch {
    return undefined;
  }
}
