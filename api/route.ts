import type { z } from 'zod';
import type { Gateway } from '../commands/gateway.ts';
import { type ErrorCode, GatewayError } from '../domain/errors.ts';
import type { KeyPrincipal } from '../domain/principal.ts';

type Schema = z.ZodType;
type Parsed<S extends Schema | undefined> = S extends Schema ? z.output<S> : undefined;

/** `key`: every call carries an API key. `public`: a key may be left out, but one that is sent must be valid. */
export type Access = 'key' | 'public';

/** What a handler gets: everything checked and typed. */
export interface RouteContext<
  Params extends Schema | undefined,
  Query extends Schema | undefined,
  Body extends Schema | undefined,
  Headers extends Schema | undefined,
  Who extends Access,
> {
  gateway: Gateway;
  principal: Who extends 'public' ? KeyPrincipal | undefined : KeyPrincipal;
  params: Parsed<Params>;
  query: Parsed<Query>;
  body: Parsed<Body>;
  headers: Parsed<Headers>;
}

/** One endpoint, said once: validation, the OpenAPI document and the tests come from it. */
export interface Route<
  Params extends Schema | undefined = Schema | undefined,
  Query extends Schema | undefined = Schema | undefined,
  Body extends Schema | undefined = Schema | undefined,
  Headers extends Schema | undefined = Schema | undefined,
  Who extends Access = Access,
> {
  method: 'get' | 'post' | 'patch' | 'delete';
  /** With parameters in braces, as OpenAPI writes them. */
  path: string;
  summary: string;
  /** What the summary leaves out, in Markdown. */
  description?: string;
  tag: string;
  /** Default `key`. */
  access?: Who;
  params?: Params;
  query?: Query;
  body?: Body;
  /** Headers that it heeds beyond those that every route does. */
  headers?: Headers;
  /** What it answers, by status; the first one is the usual one, and a schema of nothing is an answer without a body. */
  answers: Record<number, Schema>;
  /** A body as documentation shows it; absent, one is made from the schema. */
  example?: unknown;
  /** Further bodies, by what each is for. */
  otherExamples?: Readonly<Record<string, unknown>>;
  /** Codes that it may answer beyond those that every route may. */
  errors: readonly ErrorCode[];
  /** The code for a malformed id in the path; it must be the one for an unknown id (decisions section 1). */
  notFound?: ErrorCode;
  /** The code for a body that breaks its schema. */
  invalid?: ErrorCode;
  handle(context: RouteContext<Params, Query, Body, Headers, Who>): Promise<object | Answer>;
}

/** An answer with a status other than the usual one, with headers of its own, or with a body that is JSON text already. */
export class Answer {
  readonly status: number;
  readonly body: object | string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: object | string, headers: Record<string, string> = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** Declares an endpoint. */
export function route<
  Params extends Schema | undefined = undefined,
  Query extends Schema | undefined = undefined,
  Body extends Schema | undefined = undefined,
  Headers extends Schema | undefined = undefined,
  Who extends Access = 'key',
>(definition: Route<Params, Query, Body, Headers, Who>): Route {
  return definition as unknown as Route;
}

/** The record, or the error that says it is not there: one answer for unknown, malformed and foreign ids. */
export function found<Value>(value: Value | undefined, code: ErrorCode = 'NOT_FOUND', what = wordFor(code)): Value {
  if (value === undefined) throw notFound(code, what);
  return value;
}

export function notFound(code: ErrorCode = 'NOT_FOUND', what = wordFor(code)): GatewayError {
  return new GatewayError(code, `There is no such ${what}.`);
}

/** `APPROVAL_POLICY_NOT_FOUND`: approval policy. */
function wordFor(code: ErrorCode): string {
  return code === 'NOT_FOUND' ? 'record' : code.replace('_NOT_FOUND', '').replaceAll('_', ' ').toLowerCase();
}
