import type { z } from 'zod';
import type { Gateway } from '../commands/gateway.ts';
import { type ErrorCode, GatewayError } from '../domain/errors.ts';
import type { KeyPrincipal } from '../domain/principal.ts';

type Schema = z.ZodType;
type Parsed<S extends Schema | undefined> = S extends Schema ? z.output<S> : undefined;

/** What a handler gets: everything checked and typed. */
export interface RouteContext<Params extends Schema | undefined, Query extends Schema | undefined, Body extends Schema | undefined> {
  gateway: Gateway;
  principal: KeyPrincipal;
  params: Parsed<Params>;
  query: Parsed<Query>;
  body: Parsed<Body>;
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** One endpoint, said once: validation, the OpenAPI document and the tests come from it. */
export interface Route<
  Params extends Schema | undefined = Schema | undefined,
  Query extends Schema | undefined = Schema | undefined,
  Body extends Schema | undefined = Schema | undefined,
> {
  method: 'get' | 'post' | 'patch' | 'delete';
  /** With parameters in braces, as OpenAPI writes them. */
  path: string;
  summary: string;
  tag: string;
  params?: Params;
  query?: Query;
  body?: Body;
  /** What it answers, by status; the first one is the usual one. */
  answers: Record<number, Schema>;
  /** Codes that it may answer beyond those that every route may. */
  errors: readonly ErrorCode[];
  /** The code for a malformed id in the path; it must be the one for an unknown id (decisions section 1). */
  notFound?: ErrorCode;
  /** The code for a body that breaks its schema. */
  invalid?: ErrorCode;
  handle(context: RouteContext<Params, Query, Body>): Promise<object | Answer>;
}

/** An answer with a status other than the usual one. */
export class Answer {
  readonly status: number;
  readonly body: object;

  constructor(status: number, body: object) {
    this.status = status;
    this.body = body;
  }
}

/** Declares an endpoint. */
export function route<
  Params extends Schema | undefined = undefined,
  Query extends Schema | undefined = undefined,
  Body extends Schema | undefined = undefined,
>(definition: Route<Params, Query, Body>): Route {
  return definition as unknown as Route;
}

/** The record, or the error that says it is not there: one answer for unknown, malformed and foreign ids. */
export function found<Value>(value: Value | undefined, code: ErrorCode = 'NOT_FOUND', what = 'record'): Value {
  if (value === undefined) throw notFound(code, what);
  return value;
}

export function notFound(code: ErrorCode = 'NOT_FOUND', what = 'record'): GatewayError {
  return new GatewayError(code, `There is no such ${what}.`);
}
