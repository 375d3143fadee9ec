import { createRequire } from 'node:module';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { fromProto3JSON, toProto3JSON } from 'proto3-json-serializer';
import type { Field, Message, Root, Type } from 'protobufjs';
import { camelCase, type TemporalRoute, temporalRoutes } from './temporal-routes.ts';

/** The HTTP API of Temporal that its UI uses, forwarded over gRPC. */
export interface TemporalApi {
  /**
   * Answers a request for a path below /api/v1/. `body` is JSON or empty. A failure becomes a
   * status.
   */
  ask(request: TemporalApiRequest): Promise<TemporalApiAnswer>;
  close(): void;
}

interface TemporalApiRequest {
  httpMethod: string;
  url: URL;
  body: string;
  signal: AbortSignal;
}

interface TemporalApiAnswer {
  status: number;
  body: unknown;
}

/** Longer than the UI's long poll for the next event of a workflow. */
const DEADLINE_MS = 90_000;

/** Histories may be long, so message size is not limited. */
const CHANNEL = { 'grpc.max_receive_message_length': -1, 'grpc.max_reconnect_backoff_ms': 1000 };

/**
 * Uses gRPC instead of an HTTP API. Temporal's HTTP API rejects our workflow ids, because they
 * contain a slash. The HTTP API of the UI server accepts any `Host` header.
 */
export function openTemporalApi(address: string): TemporalApi {
  const client = new Client(address, credentials.createInsecure(), CHANNEL);
  let routes: TemporalRoute[] | undefined;
  return {
    ask: async (request) => {
      routes ??= loadRoutes();
      const { httpMethod, url } = request;
      for (const route of routes) {
        const found = route.httpMethod === httpMethod ? route.pattern.exec(url.pathname) : null;
        if (found) return answer(client, route, found.slice(1), request);
      }
      return { status: 404, body: { code: status.NOT_FOUND, message: 'Not Found' } };
    },
    close: () => client.close(),
  };
}

/** Called on first use of the UI, because the definitions of Temporal's protocol take memory. */
function loadRoutes(): TemporalRoute[] {
  const root: Root = createRequire(import.meta.url)('@temporalio/proto/protos/json-module.js');
  root.resolveAll();
  return temporalRoutes(root);
}

async function answer(client: Client, route: TemporalRoute, values: string[], request: TemporalApiRequest): Promise<TemporalApiAnswer> {
  let bytes: Uint8Array;
  try {
    const json = readRequest(route, values, request);
    bytes = route.request.encode(fromProto3JSON(route.request as never, json as never) as never).finish();
  } catch (error) {
    return { status: 400, body: { code: status.INVALID_ARGUMENT, message: (error as Error).message } };
  }
  try {
    const answered = await call(client, route.rpc, bytes, request.signal);
    return { status: 200, body: toProto3JSON(bytesAsText(route.response.decode(answered)) as never) };
  } catch (error) {
    const { code = status.UNKNOWN, details, message } = error as ServiceError;
    return { status: HTTP_STATUS[code] ?? 500, body: { code, message: details || message } };
  }
}

/**
 * Encodes bytes in maps and lists, which the serializer does not do. Payloads have maps of bytes.
 */
function bytesAsText(message: Message): Message {
  for (const [name, value] of Object.entries(message)) {
    const field = message.$type.fields[name];
    if (field && typeof value === 'object' && value !== null) bytesInField(field, value, message as unknown as Json);
  }
  return message;
}

function bytesInField(field: Field, value: object, message: Json): void {
  const parts: Json | undefined = field.map || Array.isArray(value) ? (value as Json) : undefined;
  if (parts && field.type === 'bytes')
    for (const [key, bytes] of Object.entries(parts)) parts[key] = Buffer.from(bytes as Uint8Array).toString('base64');
  else if (field.resolvedType && 'fields' in field.resolvedType)
    for (const inner of Object.values(parts ?? { [field.name]: message[field.name] })) bytesAsText(inner as Message);
}

function call(client: Client, rpc: string, bytes: Uint8Array, signal: AbortSignal): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { deadline: Date.now() + DEADLINE_MS };
    const write = (message: Uint8Array) => Buffer.from(message);
    const read = (message: Buffer) => message;
    const made = client.makeUnaryRequest(rpc, write, read, bytes, new Metadata(), options, (error, value) =>
      error ? reject(error) : resolve(value!),
    );
    if (signal.aborted) made.cancel();
    signal.addEventListener('abort', () => made.cancel(), { once: true });
  });
}

/** HTTP statuses by gRPC code, as in google.rpc.Code. Other codes become 500. */
const HTTP_STATUS: Partial<Record<status, number>> = {
  [status.CANCELLED]: 499,
  [status.INVALID_ARGUMENT]: 400,
  [status.DEADLINE_EXCEEDED]: 504,
  [status.NOT_FOUND]: 404,
  [status.ALREADY_EXISTS]: 409,
  [status.PERMISSION_DENIED]: 403,
  [status.UNAUTHENTICATED]: 401,
  [status.RESOURCE_EXHAUSTED]: 429,
  [status.FAILED_PRECONDITION]: 400,
  [status.ABORTED]: 409,
  [status.OUT_OF_RANGE]: 400,
  [status.UNIMPLEMENTED]: 501,
  [status.UNAVAILABLE]: 503,
};

type Json = { [name: string]: unknown };

/**
 * A path field overrides a query field, which overrides a body field. If the body is the whole
 * request, the query is ignored.
 */
function readRequest(route: TemporalRoute, values: string[], { url, body }: TemporalApiRequest): Json {
  const given = body === '' ? {} : JSON.parse(body);
  const json: Json = route.body === '*' ? { ...given } : route.body ? { [camelCase(route.body)]: given } : {};
  if (route.body !== '*')
    for (const name of new Set(url.searchParams.keys())) setField(json, route.request, camelCase(name), url.searchParams.getAll(name));
  for (const [index, field] of route.pathFields.entries()) setField(json, route.request, field, [decodeURIComponent(values[index]!)]);
  return json;
}

/** Sets the field at a dotted path. Ignores unknown names. */
function setField(json: Json, type: Type, path: string, texts: string[]): void {
  const [name, ...rest] = path.split('.');
  const field = Object.hasOwn(type.fields, name!) ? type.fields[name!]!.resolve() : undefined;
  if (!field || !name) return;
  if (rest.length === 0) {
    const values = texts.map((text) => readText(field.type, text));
    json[name] = field.repeated ? values : values[0];
  } else if (field.resolvedType && 'fields' in field.resolvedType) {
    const inner = { ...(json[name] as Json | undefined) };
    setField(inner, field.resolvedType, rest.join('.'), texts);
    json[name] = inner;
  }
}

function readText(type: string, text: string): unknown {
  if (type === 'bool') return text === 'true';
  if (/^(?:[su]?int32|s?fixed32|float|double)$/.test(type)) return Number(text);
  return text;
}
