import { ActionError } from './definition.ts';
import { type MultipartField, multipartBody } from './multipart-body.ts';

type Scalar = string | number | boolean;

/**
 * Names and values of a query, a form or headers. Undefined and null are left out. In a query or
 * form, a list repeats its name.
 */
export type Fields = Readonly<Record<string, Scalar | readonly Scalar[] | null | undefined>>;

/** The fields of an account that may be shown. */
export type Account = Readonly<Record<string, unknown>>;

/**
 * Describes one request of an API. At most one of `json`, `form`, `multipart`, `bytes` and `body`
 * is set.
 */
export interface RequestShape<Input = Record<string, unknown>> {
  /** Default: GET. */
  method?: 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /**
   * Such as `/repos/{owner}/issues`: an input becomes one segment. `{+key}` keeps the slashes of
   * its value.
   */
  path: string | ((input: Input, account: Account) => string);
  query?(input: Input, account: Account): Fields;
  /** The percent-encoded query, in place of `query`. */
  encodedQuery?(input: Input): string;
  headers?(input: Input, account: Account): Fields;
  json?(input: Input, account: Account): unknown;
  form?(input: Input, account: Account): Fields;
  multipart?(input: Input, account: Account): readonly MultipartField[];
  bytes?(input: Input, account: Account): Uint8Array;
  body?(input: Input): RequestBody | undefined;
}

/** A body with its media type. */
export interface RequestBody {
  contentType?: string;
  body?: string | Uint8Array;
}

/** A request to send. */
export interface Outgoing {
  method: string;
  url: URL;
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** Secrets that authentication added and the account does not contain. */
  secrets?: readonly string[];
  /** Removes the credentials of this request from the cache. Absent if they were not cached. */
  forget?(): void;
}

/**
 * Builds a request. Throws ActionError for a value that cannot be a part of the path, or that would
 * change the host or the path of the shape.
 */
export async function buildRequest(
  { baseUrl, headers = {}, account = {} }: { baseUrl: string; headers?: Readonly<Record<string, string>>; account?: Account },
  shape: RequestShape,
  input: Readonly<Record<string, unknown>>,
): Promise<Outgoing> {
  const template = typeof shape.path === 'string' ? shape.path : shape.path(input, account);
  const { contentType, body } = buildBody(shape, input, account);
  return {
    method: shape.method ?? 'GET',
    url: buildUrl(baseUrl, expand(template, input, account), shape.query?.(input, account) ?? {}, shape.encodedQuery?.(input)),
    headers: { ...headers, ...(contentType && { 'content-type': contentType }), ...flatten(shape.headers?.(input, account) ?? {}) },
    ...(body !== undefined && { body }),
  };
}

/** `{+name}` keeps the slashes of its value. `'{name}'` doubles the quotes of its value (OData). */
const PATH_NAME = /('?)\{(\+?)(?:(input|account)\.)?(\w+)\}/g;

const NOT_SCALAR = 'must be a text, a number or a boolean, because it is a part of the path';

function expand(template: string, input: Readonly<Record<string, unknown>>, account: Account): string {
  return template.replace(PATH_NAME, (_, quote: string, plus: string, root: string | undefined, name: string) => {
    const value = root === 'account' ? account[name] : input[name];
    if (!isScalar(value)) throw new ActionError(`${name} ${value == null ? 'is missing' : NOT_SCALAR}.`);
    const text = quote ? String(value).replaceAll("'", "''") : String(value);
    if (!plus || text === '') return quote + encodeSegment(name, text);
    const segments = text.split('/');
    return quote + segments.map((segment) => segment && encodeSegment(name, segment)).join('/');
  });
}

/** Encodes a value as one path segment. Throws ActionError if it would change the path. */
export function encodeSegment(name: string, segment: string): string {
  if (segment === '' || segment.split('\\').some(isDots))
    throw new ActionError(`${name} cannot be ${JSON.stringify(segment.slice(0, 100))}, because that would change the path of the address.`);
  return encodeURIComponent(segment.toWellFormed());
}

/** Whether a third party or a proxy could read a segment as a step in the path, even encoded. */
function isDots(part: string): boolean {
  return part === '.' || part === '..';
}

function buildUrl(baseUrl: string, path: string, query: Fields, encodedQuery?: string): URL {
  const base = new URL(baseUrl);
  const text = base.origin + base.pathname.replace(/\/$/, '') + path;
  const url = new URL(text);
  if (url.href !== text) throw new ActionError('The address made from the input is not valid.');
  for (const [name, value] of entries(query)) url.searchParams.append(name, value);
  // Writes a space as %20, because a plus means a space only in forms, and signatures expect %20.
  url.search = encodedQuery ?? url.search.replaceAll('+', '%20');
  return url;
}

function buildBody(shape: RequestShape, input: Readonly<Record<string, unknown>>, account: Account): RequestBody {
  if (shape.body) return shape.body(input) ?? {};
  if (shape.json) return { contentType: 'application/json; charset=utf-8', body: JSON.stringify(shape.json(input, account)) };
  if (shape.form)
    return { contentType: 'application/x-www-form-urlencoded', body: new URLSearchParams(entries(shape.form(input, account))).toString() };
  if (shape.multipart) return multipartBody(shape.multipart(input, account));
  return shape.bytes ? { body: shape.bytes(input, account) } : {};
}

function flatten(fields: Fields): Record<string, string> {
  return Object.fromEntries(entries(fields));
}

function entries(fields: Fields): [string, string][] {
  return Object.entries(fields).flatMap(([name, values]) =>
    [values].flat().flatMap((value): [string, string][] => (isScalar(value) ? [[name, String(value)]] : [])),
  );
}

function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
