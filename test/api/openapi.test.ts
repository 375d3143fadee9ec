import { Validator } from '@seriousme/openapi-schema-validator';
import { describeRoutes } from '../../api/openapi/describe-routes.ts';
import { ERROR_WORDS } from '../../api/openapi/error-words.ts';
import { answerExample, bodyExample } from '../../api/openapi/examples.ts';
import { ROUTES } from '../../api/routes.ts';
import { STATUS } from '../../domain/errors.ts';
import { callerOf } from '../support/caller.ts';
import { type ApiBed, openApiBed } from './api-bed.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document is read field by field
type Node = any;

const document: Node = describeRoutes(ROUTES, 'https://gateway.example');
const operations = ROUTES.map((route) => ({
  name: `${route.method} ${route.path}`,
  route,
  operation: document.paths[route.path]?.[route.method] as Node,
}));
const table = operations.map(({ name, ...rest }) => [name, rest] as const);
const resolve = (node: Node): Node => (node.$ref ? at(node.$ref) : node);
const at = (reference: string): Node =>
  reference
    .replace('#/', '')
    .split('/')
    .reduce((node: Node, key) => node?.[key], document);

test('the document is valid OpenAPI 3.1', async () => {
  const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)));
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
  expect(document.openapi).toBe('3.1.0');
});

test('the document describes all routes, and the public paths outside the table of routes', () => {
  const service = ['/', '/health', '/ready', '/.well-known/jwks.json', '/openapi.json', '/docs'];
  expect(Object.keys(document.paths).sort()).toEqual([...new Set([...ROUTES.map(({ path }) => path), ...service])].sort());
  for (const path of service) expect(document.paths[path].get.security).toEqual([]);
});

test('operation ids are stable and unique, because generated clients use them', () => {
  const ids = Object.values<Node>(document.paths).flatMap((item) => Object.values<Node>(item).map(({ operationId }) => operationId));
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual(expect.arrayContaining(['postWorkspaces', 'getWorkspacesId', 'postMcpServersIdTools', 'postActionsExecute']));
  expect(Object.keys(document.components.schemas)).toEqual(
    expect.arrayContaining(['Error', 'Workspace', 'PostWorkspacesBody', 'McpServer']),
  );
  expect(Object.keys(document.components.schemas).filter((name) => name.endsWith('Output'))).toEqual([]);
});

test('the document describes exactly the tags in use', () => {
  const used = new Set(Object.values<Node>(document.paths).flatMap((item) => Object.values<Node>(item).flatMap(({ tags }) => tags)));
  expect(document.tags.map(({ name }: Node) => name).sort()).toEqual([...used].sort());
  for (const { name, description } of document.tags) expect([name, description]).toEqual([name, expect.stringMatching(/\w+/)]);
});

test('every route requires a key, except public routes', () => {
  expect(document.security).toEqual([{ apiKey: [] }]);
  expect(document.components.securitySchemes.apiKey).toMatchObject({ type: 'http', scheme: 'bearer' });
  for (const { route, operation } of operations)
    expect(operation.security).toEqual(route.access === 'public' ? [{}, { apiKey: [] }] : undefined);
});

test('the document has fewer than 6,000 characters per operation', () => {
  expect(JSON.stringify(document).length / operations.length).toBeLessThan(6000);
});

describe.each(table)('%s', (_, { route, operation }) => {
  test('lists its success answers and every error code, with status, example and headers', () => {
    for (const [status, schema] of Object.entries(route.answers)) {
      const response = operation.responses[status];
      expect(Object.keys(response.headers)).toContain('X-Request-Id');
      if (status !== '304') expect(response.content['application/json'].example).toEqual(answerExample(route, Number(status)));
      expect(schema.safeParse(response.content?.['application/json'].example).success).toBe(true);
    }
    for (const code of [...route.errors, 'UNAUTHORIZED', 'RATE_LIMITED', 'INTERNAL_ERROR', 'UNAVAILABLE'] as const) {
      const { description, content } = resolve(operation.responses[STATUS[code]]);
      expect(description).toContain(`\`${code}\`: ${ERROR_WORDS[code]}`);
      expect(content['application/json'].examples[code].value).toMatchObject({ error: expect.any(String), code });
    }
    expect(Object.keys(resolve(operation.responses[401]).headers)).toContain('WWW-Authenticate');
    expect(Object.keys(resolve(operation.responses[429]).headers)).toEqual(expect.arrayContaining(['Retry-After', 'X-RateLimit-Limit']));
    expect(Object.keys(resolve(operation.responses[503]).headers)).toContain('Retry-After');
  });

  test('an operation has a request body example that fits its schema, and marks a required body', () => {
    if (!route.body) {
      expect(operation.requestBody).toBeUndefined();
      return;
    }
    const { example, examples = { usual: { value: example } } } = operation.requestBody.content['application/json'];
    expect(examples.usual.value).toEqual(bodyExample(route));
    for (const { value } of Object.values<Node>(examples)) expect(route.body.safeParse(value).error?.issues).toBeUndefined();
    expect(Object.keys(examples)).toHaveLength(1 + Object.keys(route.otherExamples ?? {}).length);
    expect(operation.requestBody.required).toBe(!route.body.safeParse(undefined).success);
    expect(operation.responses[413] && operation.responses[415]).toBeDefined();
  });

  test('a body schema has no default, because generators would make the field required', () => {
    expect(defaultsIn(operation.requestBody ?? {})).toEqual([]);
  });

  test('every path parameter is declared as required', () => {
    const inPath = (operation.parameters ?? []).filter((parameter: Node) => parameter.in === 'path');
    expect(inPath.map((parameter: Node) => [parameter.name, parameter.required])).toEqual(
      [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, true]),
    );
  });
});

test('the answer to a wrong method is described, although it belongs to no operation', () => {
  expect(Object.keys(document.components.responses.MethodNotAllowed.headers)).toContain('Allow');
});

test('defaults are in the descriptions of body fields and in the schemas of parameters', () => {
  const { properties } = document.components.schemas.PostApprovalPoliciesBody;
  expect(properties.priority).toMatchObject({ description: expect.stringMatching(/Default: 100$/) });
  expect(properties.enabled.description).toBe('Default: true');
  const limit = document.paths['/api/v1/workspaces'].get.parameters.find(({ name }: Node) => name === 'limit');
  expect([limit.schema.default, limit.required ?? false]).toEqual([50, false]);
});

test('operations that read the source header declare this header', () => {
  const { parameters } = document.paths['/api/v1/actions/execute'].post;
  const header = parameters.find(({ in: place }: Node) => place === 'header');
  expect(header).toMatchObject({ name: 'X-Svc-Source', schema: { enum: ['rest', 'sdk'] } });
  expect(header.required ?? false).toBe(false);
});

test('every reference resolves', () => {
  const references = referencesIn(document);
  expect(references.length).toBeGreaterThan(100);
  for (const reference of references) expect([reference, typeof at(reference)]).toEqual([reference, 'object']);
});

describe('GET /openapi.json', () => {
  let bed: ApiBed;
  beforeAll(async () => {
    bed = await openApiBed({ BASE_URL: 'https://gateway.example/' });
  });
  afterAll(() => bed.close());

  test('returns the document with the address of this installation, and needs no key', async () => {
    const { status, headers, body } = await callerOf(bed.apiUrl).get('/openapi.json');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(body).toEqual(JSON.parse(JSON.stringify(document)));
    expect(body.servers).toEqual([{ url: 'https://gateway.example' }]);
  });

  test('is sent again only if it has changed', async () => {
    const etag = (await callerOf(bed.apiUrl).get('/openapi.json')).headers.get('etag')!;
    for (const given of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const { status, body } = await callerOf(bed.apiUrl).get('/openapi.json', undefined, { 'if-none-match': given });
      expect([status, body]).toEqual([304, undefined]);
    }
    expect((await callerOf(bed.apiUrl).get('/openapi.json', undefined, { 'if-none-match': '"x"' })).status).toBe(200);
  });

  test('is read-only', async () => {
    const { status, headers } = await callerOf(bed.apiUrl).post('/openapi.json', {});
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});

function defaultsIn(node: Node, seen = new Set<Node>()): Node[] {
  if (node === null || typeof node !== 'object' || seen.has(node)) return [];
  seen.add(node);
  if (node.$ref) return defaultsIn(at(node.$ref), seen);
  return Object.entries(node).flatMap(([key, value]) => (key === 'example' ? [] : key === 'default' ? [value] : defaultsIn(value, seen)));
}

function referencesIn(node: Node): string[] {
  if (node === null || typeof node !== 'object') return [];
  return Object.entries(node).flatMap(([key, value]) => (key === '$ref' ? [value as string] : referencesIn(value)));
}
