import { ANSWER_MAX_BYTES } from '../domain/limits.ts';
import type { OutboundResponse } from '../domain/outbound.ts';
import { type ActionContext, ActionError, type AuthValue } from './definition.ts';
import { parseJson, readAnswer } from './provider-answer.ts';
import { type Authenticate, accountOf, publicAccount } from './provider-auth.ts';
import type { AccountDefaults } from './provider-defaults.ts';
import { type ErrorReader, readSaid, saidBy, thirdPartyError } from './provider-error.ts';
import { type Account, buildRequest, type RequestShape } from './provider-request.ts';
import { type Scrub, scrubberOf } from './provider-secrets.ts';
import { readXml, xmlValue } from './provider-xml.ts';
import type { ValueSchema } from './schema/value-schema.ts';

/** A third party's API. */
export interface Upstream extends AccountDefaults {
  displayName: string;
  /** Without a query. */
  baseUrl: string | ((auth: AuthValue) => string);
  authenticate: Authenticate;
  /** Whether calls without an account are allowed. Such calls carry no credentials. */
  authOptional?: boolean;
  /** Sent with every request. */
  headers?: Readonly<Record<string, string>> | ((account: Account, service: Service) => Readonly<Record<string, string>>);
  /** Reads the error in an answer with a failing status. */
  errors?: ErrorReader;
  /** Reads the error in an answer with a successful status. */
  refusals?: ErrorReader;
}

/** How an answer is read. `bytes`: unchanged. `auto`: an object for any media type. */
export type Format = 'json' | 'text' | 'xml' | 'bytes' | 'auto';

export interface CallShape {
  request: RequestShape;
  /** Default: the base URL of the API. */
  baseUrl?: Upstream['baseUrl'] | undefined;
  format?: Format | undefined;
  /** Default: 30. */
  timeoutSeconds?: number | undefined;
  /** Default: ANSWER_MAX_BYTES. */
  maxBytes?: number | undefined;
}

export type Reach = Pick<ActionContext, 'auth' | 'signal' | 'outbound' | 'now'>;

export interface Answer<Body = unknown, Input = Record<string, unknown>> {
  status: number;
  headers: Readonly<Record<string, string>>;
  /** Null if JSON or XML was expected and the body was empty. */
  body: Body;
  input: Input;
}

const TIMEOUT_SECONDS = 30;

/**
 * Makes a request with the connected account. Throws ActionError with the third party's message if
 * the request is refused.
 */
export async function callUpstream(
  upstream: Upstream,
  shape: CallShape,
  input: Readonly<Record<string, unknown>>,
  reach: Reach,
): Promise<Answer> {
  const isAnonymous = upstream.auth.length === 0 || (upstream.authOptional === true && reach.auth === null);
  const auth = isAnonymous ? NO_ACCOUNT : accountOf(upstream, reach.auth);
  const base = shape.baseUrl ?? upstream.baseUrl;
  const baseUrl = typeof base === 'string' ? base : base(auth);
  const account = publicAccount(upstream.auth, auth);
  const built = await buildRequest({ baseUrl, headers: headersOf(upstream, account, reach), account }, shape.request, input);
  const send = async () => {
    const request = isAnonymous && upstream.authOptional ? built : await upstream.authenticate(built, auth, reach.now(), reach);
    const { url, secrets, forget, ...rest } = request;
    const timeoutMs = (shape.timeoutSeconds ?? TIMEOUT_SECONDS) * 1000;
    const limits = { timeoutMs, maxBytes: shape.maxBytes ?? ANSWER_MAX_BYTES, signal: reach.signal };
    return { response: await reach.outbound.request({ ...rest, ...limits, url: url.href }), secrets, forget };
  };
  let sent = await send();
  if (sent.response.status === 401 && sent.forget) {
    // The cached token may be revoked. Status 401 means that nothing was done, so a retry is safe.
    sent.forget();
    sent = await send();
  }
  const { response, secrets } = sent;
  const scrub = scrubberOf(auth, upstream.auth, secrets);
  const refused = { displayName: upstream.displayName, response, scrub, now: reach.now() };
  if (response.status < 200 || response.status > 299) throw thirdPartyError({ ...refused, said: saidBy(response, upstream.errors, scrub) });

  const body = FORMATS[shape.format ?? 'json'](response, scrub, upstream.displayName);
  const said = readSaid(upstream.refusals, body);
  if (said) throw thirdPartyError({ ...refused, said });
  return { status: response.status, headers: response.headers, body, input };
}

const NO_ACCOUNT: AuthValue = { type: 'CUSTOM_AUTH', props: {} };

interface Service {
  url: string;
}

const UNKNOWN_SERVICE = 'https://gateway.example';

function headersOf({ headers = {} }: Upstream, account: Account, { outbound }: Reach): Readonly<Record<string, string>> {
  return typeof headers === 'function' ? headers(account, { url: outbound.serviceUrl ?? UNKNOWN_SERVICE }) : headers;
}

/** Parses an answer with its schema. Throws ActionError if the answer does not match. */
export function readAs<Value>(
  schema: Pick<ValueSchema<Value>, 'parse'>,
  value: unknown,
  { displayName, status, mayHaveActed }: { displayName: string; status: number; mayHaveActed: boolean },
): Value {
  const read = schema.parse(value);
  if (read.ok) return read.value;
  const places = read.issues.slice(0, 5).map(({ path }) => path || 'the whole');
  const hint = mayHaveActed ? ' The action may have taken effect.' : '';
  throw new ActionError(`${displayName} answered in an unexpected form: ${[...new Set(places)].join(', ')}.${hint}`, {
    status,
    reason: 'unexpected_answer',
  });
}

type ReadBody = (response: OutboundResponse, scrub: Scrub, displayName: string) => unknown;

const FORMATS: Record<Format, ReadBody> = {
  json: ({ body, status }, scrub, displayName) => (body.length === 0 ? null : parseJson(body.toString(), status, scrub, displayName)),
  text: ({ body }, scrub) => scrub(body.toString()),
  auto: readAnswer,
  xml: ({ body, status }, scrub, displayName) => {
    const root = readXml(scrub(body.toString()));
    if (root) return { [root.name]: xmlValue(root) };
    if (body.length === 0) return null;
    throw new ActionError(`${displayName} answered ${status} with something that is not XML.`, { status, reason: 'unexpected_answer' });
  },
  bytes: ({ body }) => body,
};
