import { STATUS_CODES } from 'node:http';
import { cutText } from '../../../domain/cut-text.ts';
import { isDeeperThan } from '../../../domain/is-deeper-than.ts';
import { BODY_MAX_DEPTH } from '../../../domain/limits.ts';
import type { OutboundResponse } from '../../../domain/outbound.ts';
import { hiderOf } from '../../../domain/redaction/hide-secrets.ts';
import { ActionError } from '../../definition.ts';
import type { HttpInput } from './http-input.ts';
import { secretsSent } from './secrets-sent.ts';

const QUOTED_MAX_LENGTH = 2000;

/**
 * Returns the output of send_request. Throws ActionError if `failureMode` counts the status as a
 * failure, or if the body was cut.
 */
export function readHttpAnswer(input: HttpInput, answer: OutboundResponse) {
  const { status, headers } = answer;
  if (status >= FAILS_FROM[input.failureMode] || answer.isCut) throw failed(input, answer);
  return { status, headers, body: input.response_is_binary ? answer.body.toString('base64') : readBody(answer) };
}

const FAILS_FROM: Record<HttpInput['failureMode'], number> = { all: 400, '5xx': 500, none: Number.POSITIVE_INFINITY };

function failed(input: HttpInput, answer: OutboundResponse): ActionError {
  const { status } = answer;
  const said = hiderOf(secretsOf(input))(readText(answer), QUOTED_MAX_LENGTH);
  const sentence = `${new URL(answer.url).host} answered ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd();
  const size = answer.isCut ? ', with a body that is too large to be returned' : '';
  return new ActionError(`${sentence}${size}`, { status, body: cutText(said, QUOTED_MAX_LENGTH) });
}

/** Services may echo these values, so they are hidden in a quoted answer. */
function secretsOf({ url, headers, queryParams = {}, authFields: { username, password, token } = {} }: HttpInput): string[] {
  const query = Object.values(queryParams)
    .flat()
    .filter((value) => typeof value !== 'boolean');
  const basic = password && Buffer.from(`${username}:${password}`).toString('base64');
  const own = [token, password, basic].filter((secret) => secret !== undefined);
  return [...own, ...secretsSent(url, headers), ...query.map(String)];
}

function readBody(answer: OutboundResponse): unknown {
  if (answer.body.length === 0) return null;
  const text = readText(answer);
  return isJson(answer.headers['content-type'] ?? '') ? parseJson(text) : text;
}

function isJson(contentType: string): boolean {
  return /^(application|text)\/([\w.+-]+\+)?json\b/i.test(contentType);
}

/** Returns the text itself if it is invalid or nested deeper than BODY_MAX_DEPTH. */
function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isDeeperThan(BODY_MAX_DEPTH, value) ? text : value;
  } catch {
    return text;
  }
}

function readText({ body, headers }: OutboundResponse): string {
  const charset = /charset="?([\w:.-]{1,100})/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    return body.toString();
  }
}
