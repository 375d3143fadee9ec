import type { z } from 'zod';
import type { Gateway } from '../commands/gateway.ts';
import { type ErrorCode, GatewayError } from '../domain/errors.ts';
import type { KeyPrincipal } from '../domain/principal.ts';
import type { KeyWith } from '../store/key-lookups.ts';

type Schema = z.ZodType;
type Parsed<S extends Schema | undefined> = S extends Schema ? z.output<S> : undefined;

/** `key`: needs an API key. `public`: the key is optional, but must be valid if present. */
export type Access = 'key' | 'public';

interface RouteContext<
  Params extends Schema | undefined,
  Query extends Schema | undefined,
  Body extends Schema | undefined,
  Headers extends Schema | undefined,
  Who extends Access,
  Row,
> {
  gateway: Gateway;
  principal: Who extends 'public' ? KeyPrincipal | undefined : KeyPrincipal;
  params: Parsed<Params>;
  query: Parsed<Query>;
  body: Parsed<Body>;
  headers: Parsed<Headers>;
  /** Aborts when the caller closes the connection. */
  gone(): AbortSignal;
  /** The result of `read`. Undefined without `read`, or if the organization has no such record. */
  record: Row | undefined;
}

/** One endpoint. Validation, the OpenAPI document and the tests are derived from it. */
export interface Route<
  Params extends Schema | undefined = Schema | undefined,
  Query extends Schema | undefined = Schema | undefined,
  Body extends Schema | undefined = Schema | undefined,
  Headers extends Schema | undefined = Schema | undefined,
  Who extends Access = Access,
  Row = unknown,
> {
  method: 'get' | 'post' | 'patch' | 'delete';
  /** Parameters are in braces, as in OpenAPI. */
  path: string;
  summary: string;
  /** In Markdown. */
  description?: string;
  tag: string;
  /** Default `key`. */
  access?: Who;
  params?: Params;
  query?: Query;
  body?: Body;
  /**
   * A field whose value may be large. The handler gets the value in UTF-8: the characters of a
   * text, or an object as JSON. If `authorize` throws, no large body is read.
   */
  largeField?: { readonly field: string; readonly maxBytes: number; authorize(principal: KeyPrincipal): void };
  /** Headers that the route reads, beyond those of every route. */
  headers?: Headers;
  /**
   * Body schemas by status. A handler that returns no `Answer` answers with the lowest status.
   * `z.undefined()` means no body.
   */
  answers: Record<number, Schema>;
  /** Default: generated from the schema. */
  example?: unknown;
  /** Further examples by title. */
  otherExamples?: Readonly<Record<string, unknown>>;
  /** Error codes, beyond those of every route. */
  errors: readonly ErrorCode[];
  /** Error for an unknown or malformed id in the path (contract decisions 1). Default NOT_FOUND. */
  notFound?: ErrorCode;
  /** Error for a body that does not match its schema. Default VALIDATION_ERROR. */
  invalid?: ErrorCode;
  /**
   * Reads the requested record together with the API key, in one round trip. The handler must still
   * check that the API key may read the record.
   */
  read?(gateway: Gateway, keyHash: Buffer, params: Parsed<Params>): Promise<KeyWith<Row> | undefined>;
  /**
   * Concurrent requests with the same API key and URL share one answer. Set this only on `GET`
   * routes whose answer depends on nothing else in the request.
   */
  isShared?: true;
  /**
   * Set this only if the answers contain no secret. The compressed length could reveal a secret
   * that is next to a caller's text (BREACH).
   */
  isCompressible?: true;
  handle(context: RouteContext<Params, Query, Body, Headers, Who, Row>): Promise<object | Answer>;
}

/**
 * A response with its own status or headers, or with a body that is already JSON text. The text can
 * be in pieces.
 */
export class Answer {
  readonly status: number;
  readonly body: object | string | readonly string[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: object | string | readonly string[], headers: Record<string, string> = {}) {
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
  Row = never,
>(definition: Route<Params, Query, Body, Headers, Who, Row>): Route {
  return definition as unknown as Route;
}

/** Throws the error of `notFound` if the record is undefined. */
export function found<Value>(value: Value | undefined, code: ErrorCode = 'NOT_FOUND', what = wordFor(code)): Value {
  if (value === undefined) throw notFound(code, what);
  return value;
}

/** The error for a record that does not exist or that the caller may not see. */
export function notFound(code: ErrorCode = 'NOT_FOUND', what = wordFor(code)): GatewayError {
  return new GatewayError(code, `There is no such ${what}.`);
}

function wordFor(code: ErrorCode): string {
  return code === 'NOT_FOUND' ? 'record' : code.replace('_NOT_FOUND', '').replaceAll('_', ' ').toLowerCase();
}
