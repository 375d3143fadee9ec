import { STATUS_CODES } from 'node:http';
import type { OutboundResponse } from '../../domain/outbound.ts';
import { ActionError } from '../definition.ts';
import type { HttpInput } from './http-request.ts';

const QUOTED_MAX_LENGTH = 2000;

/** The output of send_request. Throws ActionError, with what the other side said, for a status that the input counts as a failure. */
export function readHttpAnswer(input: HttpInput, answer: OutboundResponse) {
  const { status, headers } = answer;
  if (status >= FAILS_FROM[input.failureMode]) throw failed(input, answer);
  return { status, headers, body: input.response_is_binary ? answer.body.toString('base64') : readBody(answer) };
}

const FAILS_FROM: Record<HttpInput['failureMode'], number> = { all: 400, '5xx': 500, none: Number.POSITIVE_INFINITY };

function failed(input: HttpInput, answer: OutboundResponse): ActionError {
  const { status } = answer;
  const said = withoutSecrets(readText(answer).slice(0, QUOTED_MAX_LENGTH), input);
  return new ActionError(`${new URL(answer.url).host} answered ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd(), { status, body: said });
}

/** Services echo what they were sent. */
function withoutSecrets(text: string, { authFields = {}, headers = {} }: HttpInput): string {
  const authorization = Object.entries(headers).flatMap(([name, value]) =>
    name.toLowerCase() === 'authorization' ? [value, value.split(' ').at(-1)] : [],
  );
  const basic = Buffer.from(`${authFields.username}:${authFields.password}`).toString('base64');
  return [...authorization, authFields.token, authFields.password, basic].reduce<string>(
    (clean, secret) => (secret ? clean.replaceAll(secret, '[redacted]') : clean),
    text,
  );
}

function readBody(answer: OutboundResponse): unknown {
  if (answer.body.length === 0) return null;
  const text = readText(answer);
  return isJson(answer.headers['content-type'] ?? '') ? parseJson(text) : text;
}

function isJson(contentType: string): boolean {
  return /^(application|text)\/([\w.+-]+\+)?json\b/i.test(contentType);
}

/** What claims to be JSON and is not, stays text. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function readText({ body, headers }: OutboundResponse): string {
  const charset = /charset="?([\w:.-]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    return body.toString();
  }
}
