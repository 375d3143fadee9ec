import type { z } from 'zod';
import type { OutboundResponse } from '../domain/outbound.ts';
import { type ActionContext, ActionError, type AuthValue } from './definition.ts';
import { type Authenticate, accountOf } from './provider-auth.ts';
import type { AccountDefaults } from './provider-defaults.ts';
import { type ErrorReader, readSaid, saidBy, thirdPartyError } from './provider-error.ts';
import { buildRequest, type RequestShape } from './provider-request.ts';
import { parseScrubbed, type Scrub, scrubberOf } from './provider-secrets.ts';

/** A third party: where it is, and how one talks to it. */
export interface Upstream extends AccountDefaults {
  displayName: string;
  /** Without a query; where it depends on the account, from the account. */
  baseUrl: string | ((auth: AuthValue) => string);
  authenticate: Authenticate;
  /** Sent with every request. */
  headers?: Readonly<Record<string, string>>;
  /** Reads the body of an answer with a failing status. */
  errors?: ErrorReader;
  /** Reads a failure out of an answer that is a success by its status. */
  refusals?: ErrorReader;
}

/** `json` and `text` come without the account's secrets; `bytes` is a file, and stays as it is. */
export type Format = 'json' | 'text' | 'bytes';

export interface CallShape {
  request: RequestShape;
  format?: Format;
  /** Default 30. */
  timeoutSeconds?: number;
  /** Default 5 MB. */
  maxBytes?: number;
}

export type Reach = Pick<ActionContext, 'auth' | 'signal' | 'outbound' | 'now'>;

export interface Answer<Body = unknown, Input = Record<string, unknown>> {
  status: number;
  headers: Readonly<Record<string, string>>;
  /** As its format says; null where JSON was expected and nothing came. */
  body: Body;
  /** What was asked. */
  input: Input;
}

const TIMEOUT_SECONDS = 30;
const MAX_BYTES = 5 * 1024 * 1024;

/** Makes one request as the connected account and answers what came back. Throws ActionError with what the third party said, where it failed. */
export async function callUpstream(
  upstream: Upstream,
  shape: CallShape,
  input: Readonly<Record<string, unknown>>,
  reach: Reach,
): Promise<Answer> {
  const auth = accountOf(upstream, reach.auth);
  const baseUrl = typeof upstream.baseUrl === 'string' ? upstream.baseUrl : upstream.baseUrl(auth);
  const request = await upstream.authenticate(buildRequest({ ...upstream, baseUrl }, shape.request, input), auth, reach.now());
  const response = await reach.outbound.request({
    ...request,
    url: request.url.href,
    timeoutMs: (shape.timeoutSeconds ?? TIMEOUT_SECONDS) * 1000,
    maxBytes: shape.maxBytes ?? MAX_BYTES,
    signal: reach.signal,
  });
  const scrub = scrubberOf(auth, upstream.auth);
  const refused = { displayName: upstream.displayName, response, scrub, now: reach.now() };
  if (response.status < 200 || response.status > 299) throw thirdPartyError({ ...refused, said: saidBy(response, upstream.errors, scrub) });

  const body = FORMATS[shape.format ?? 'json'](response, scrub, upstream.displayName);
  const said = readSaid(upstream.refusals, body);
  if (said) throw thirdPartyError({ ...refused, said });
  return { status: response.status, headers: response.headers, body, input };
}

/** What came back, as the schema reads it. Throws ActionError where it has another form than the API promises. */
export function readAs<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  { displayName, status, mayHaveActed }: { displayName: string; status: number; mayHaveActed: boolean },
): z.output<Schema> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const places = read.error.issues.slice(0, 5).map(({ path }) => path.map(String).join('.') || 'the whole');
  const hint = mayHaveActed ? ' What was asked for may have been done.' : '';
  throw new ActionError(`${displayName} answered in a form that was not expected: ${[...new Set(places)].join(', ')}.${hint}`, {
    status,
    reason: 'unexpected_answer',
  });
}

type ReadBody = (response: OutboundResponse, scrub: Scrub, displayName: string) => unknown;

const FORMATS: Record<Format, ReadBody> = {
  json({ body, status }, scrub, displayName) {
    if (body.length === 0) return null;
    try {
      return parseScrubbed(body.toString(), scrub);
    } catch {
      throw new ActionError(`${displayName} answered ${status} with something that is not JSON.`, { status, reason: 'unexpected_answer' });
    }
  },
  text: ({ body }, scrub) => scrub(body.toString()),
  bytes: ({ body }) => body,
};
