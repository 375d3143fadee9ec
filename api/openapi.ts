import type { Middleware } from 'koa';
import { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject, type ZodOpenApiResponsesObject } from 'zod-openapi';
import type { Gateway } from '../commands/gateway.ts';
import { type ErrorCode, GatewayError, STATUS } from '../domain/errors.ts';
import type { Route } from './route.ts';

/** GET /openapi.json: the interface as OpenAPI 3.1, made once from the very schemas that validate. */
export function openApi(gateway: Gateway, routes: readonly Route[]): Middleware {
  let document: string | undefined;
  return async (ctx, next) => {
    if (ctx.path !== '/openapi.json') return next();
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
      ctx.set('Allow', 'GET, HEAD');
      throw new GatewayError('METHOD_NOT_ALLOWED', `${ctx.method} is not possible here.`);
    }
    document ??= JSON.stringify(describeRoutes(routes, gateway.config.baseUrl));
    ctx.type = 'application/json';
    ctx.body = document;
  };
}

/** The OpenAPI document of a table of routes. */
export function describeRoutes(routes: readonly Route[], baseUrl: string) {
  const paths: ZodOpenApiPathsObject = {};
  for (const definition of routes) paths[definition.path] = { ...paths[definition.path], [definition.method]: describe(definition) };
  return createDocument({
    openapi: '3.1.0',
    info: { title: 'Integration Gateway', version: '1', description: 'REST interface. Every answer carries X-Request-Id.' },
    servers: [{ url: baseUrl }],
    security: [{ apiKey: [] }],
    paths,
    components: { securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: svc_…' } } },
  });
}

function describe(definition: Route): ZodOpenApiOperationObject {
  const { method, path, summary, tag, params, query, body } = definition;
  return {
    operationId: operationId(method, path),
    summary,
    tags: [tag],
    ...((params || query) && {
      requestParams: { ...(params && { path: params as z.ZodObject }), ...(query && { query: query as z.ZodObject }) },
    }),
    ...(body && { requestBody: { required: !body.safeParse(undefined).success, content: { 'application/json': { schema: body } } } }),
    responses: describeAnswers(definition),
  };
}

const REQUEST_ID = { 'X-Request-Id': { schema: { type: 'string' }, description: 'Names this request in logs' } } as const;

function describeAnswers(definition: Route): ZodOpenApiResponsesObject {
  const answers: ZodOpenApiResponsesObject = {};
  for (const [status, schema] of Object.entries(definition.answers)) {
    answers[status as '200'] = {
      description: Number(status) === 202 ? 'Held at a Human Gate' : 'Done',
      headers: REQUEST_ID,
      content: { 'application/json': { schema } },
    };
  }
  for (const [status, codes] of errorsByStatus(definition)) {
    answers[`${status}` as '400'] = {
      description: codes.join(', '),
      headers: REQUEST_ID,
      content: { 'application/json': { schema: errorOf(codes) } },
    };
  }
  return answers;
}

const ALWAYS: readonly ErrorCode[] = ['UNAUTHORIZED', 'RATE_LIMITED', 'INTERNAL_ERROR', 'UNAVAILABLE'];
const WITH_BODY: readonly ErrorCode[] = ['INVALID_JSON', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];

function errorsByStatus({ errors, body, query, invalid = 'VALIDATION_ERROR' }: Route): [number, ErrorCode[]][] {
  const codes = new Set<ErrorCode>([...(body || query ? [invalid] : []), ...(body ? WITH_BODY : []), ...errors, ...ALWAYS]);
  const statuses = [...new Set([...codes].map((code) => STATUS[code]))].sort((a, b) => a - b);
  return statuses.map((status) => [status, [...codes].filter((code) => STATUS[code] === status)]);
}

const issues = z.array(z.object({ path: z.string().describe('dotted path to the value'), message: z.string() }));

/** The envelope of decisions section 1, with the codes that are possible here. */
function errorOf(codes: ErrorCode[]) {
  return z.object({
    error: z.string().describe('a sentence for the caller'),
    code: z.enum(codes),
    details: z.looseObject({ issues: issues.optional() }).optional(),
  });
}

/** `post /api/v1/mcp/servers/{id}/tools` → `postMcpServersIdTools`. */
function operationId(method: string, path: string): string {
  const words = path
    .replace('/api/v1/', '')
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean);
  return method + words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('');
}
