import { ActionError } from './definition.ts';

type Scalar = string | number | boolean;

/** Names and values of a query, a form or headers. What is undefined or null is left out; a list is repeated. */
export type Fields = Readonly<Record<string, Scalar | readonly Scalar[] | null | undefined>>;

/** One request of an API, described: at most one of `json`, `form` and `bytes` makes the body. */
export interface RequestShape<Input = Record<string, unknown>> {
  /** Default GET. */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `/repos/{owner}/issues`: inputs by name, each one segment. `{+key}` keeps the slashes of its value. */
  path: string | ((input: Input) => string);
  query?(input: Input): Fields;
  headers?(input: Input): Fields;
  json?(input: Input): unknown;
  form?(input: Input): Fields;
  bytes?(input: Input): Uint8Array;
}

/** A request on its way. Whoever authenticates it answers another one. */
export interface Outgoing {
  method: string;
  url: URL;
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
}

/** The request that an input makes of a shape. A value can never change the host or the path that the shape has: what cannot be said as a segment throws ActionError. */
export function buildRequest(
  { baseUrl, headers = {} }: { baseUrl: string; headers?: Readonly<Record<string, string>> },
  shape: RequestShape,
  input: Readonly<Record<string, unknown>>,
): Outgoing {
  const template = typeof shape.path === 'string' ? shape.path : shape.path(input);
  const { contentType, body } = buildBody(shape, input);
  return {
    method: shape.method ?? 'GET',
    url: buildUrl(baseUrl, expand(template, input), shape.query?.(input) ?? {}),
    headers: { ...headers, ...(contentType && { 'content-type': contentType }), ...flatten(shape.headers?.(input) ?? {}) },
    ...(body !== undefined && { body }),
  };
}

function expand(template: string, input: Readonly<Record<string, unknown>>): string {
  return template.replace(/\{(\+?)(\w+)\}/g, (_, plus: string, name: string) => {
    const value = input[name];
    if (!isScalar(value)) throw new ActionError(`${name} is missing.`);
    const segments = plus ? String(value).split('/') : [String(value)];
    if (value === '' || segments.some((segment) => segment.split('\\').some(isDots)))
      throw new ActionError(`${name} cannot be ${JSON.stringify(String(value).slice(0, 100))}: it is a part of the address.`);
    return segments.map((segment) => encodeURIComponent(segment.toWellFormed())).join('/');
  });
}

/** Such a part would be resolved away, whether encoded or not, by us, by the third party or by a policy's rule about paths. */
export function isDots(part: string): boolean {
  return part === '.' || part === '..';
}

function buildUrl(baseUrl: string, path: string, query: Fields): URL {
  const base = new URL(baseUrl);
  const text = base.origin + base.pathname.replace(/\/$/, '') + path;
  const url = new URL(text);
  if (url.href !== text) throw new ActionError('The input does not make an address.');
  for (const [name, value] of entries(query)) url.searchParams.append(name, value);
  // A plus means a space in forms only; signatures are made over %20.
  url.search = url.search.replaceAll('+', '%20');
  return url;
}

function buildBody(shape: RequestShape, input: Readonly<Record<string, unknown>>): { contentType?: string; body?: string | Uint8Array } {
  if (shape.json) return { contentType: 'application/json; charset=utf-8', body: JSON.stringify(shape.json(input)) };
  if (shape.form)
    return { contentType: 'application/x-www-form-urlencoded', body: new URLSearchParams(entries(shape.form(input))).toString() };
  return shape.bytes ? { body: shape.bytes(input) } : {};
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
