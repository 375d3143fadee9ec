import fc from 'fast-check';
import type { Route } from '../../api/route.ts';
import { ROUTES } from '../../api/routes.ts';
import { arbitraryOfSchema, type JsonSchema, type SchemaWorld } from '../support/arbitrary-of-schema.ts';
import { brokenJson, jsonText, ODD_VALUES } from '../support/broken-json.ts';
import { type ApiAnswer, callerOf } from '../support/caller.ts';
import { extent } from '../support/extent.ts';
import { openTableContents, type TableContents } from '../support/table-contents.ts';
import { type ApiBed, openApiBed } from './api-bed.ts';
import { assertDeclared } from './checked-caller.ts';
import { aWorld, END_USER, type World } from './tenants/a-world.ts';
import { MATRIX } from './tenants/matrix.ts';

const HANGS_AFTER_MS = 20_000;
const RUNS = extent({ whole: { withBody: 40, without: 12 }, sample: { withBody: 4, without: 2 } });

/** Tables and columns that a refused request may change. */
const HISTORY = ['calls'];
const NOT_COMPARED = ['api_keys.last_used_at'];

interface Request {
  key: string;
  path: string;
  query: string;
  body: string | undefined;
}

let bed: ApiBed;
let world: World;
let keys: string[];
let readTables: () => Promise<TableContents>;
let tables: TableContents;
let schemas: SchemaWorld & { operation(route: Route): Operation };

beforeAll(async () => {
  bed = await openApiBed();
  world = await aWorld(bed);
  keys = [bed.plainKey, await aWorkspaceKey()];
  readTables = await openTableContents(bed.gateway.db, NOT_COMPARED);
  tables = await readTables();
  schemas = await readSchemas();
});
afterAll(() => bed?.close());

// Reads come first and deletions last, so that the records exist.
const byName = new Map(ROUTES.map((route) => [`${route.method} ${route.path}`, route]));
const turnOf = ({ method, path }: Route) => ({ get: 0, post: /execute/.test(path) ? 1 : 2, patch: 3, delete: 4 })[method];
const table = Object.keys(MATRIX)
  .map((name) => [name, byName.get(name)!] as const)
  .sort(([, a], [, b]) => turnOf(a) - turnOf(b));

test.each(table)(
  '%s gives a declared answer to any request, and a refused request writes nothing',
  async (_, route) => {
    const property = fc.asyncProperty(requests(route), async (request) => {
      const answer = await send(route, request);
      assertDeclared(route.method, request.path, answer);
      expect(answer.status).toBeLessThan(isDurable(route) ? 504 : 500);
      const before = tables;
      tables = await readTables();
      if (answer.status >= 400) expect(withoutHistory(tables)).toEqual(withoutHistory(before));
    });
    await fc.assert(property, { numRuns: route.body ? RUNS.withBody : RUNS.without });
  },
  120_000,
);

/** Whether the route needs Temporal, which is unreachable here. */
const isDurable = ({ path }: Route) => path.endsWith('/execute-code');

function withoutHistory(contents: TableContents): TableContents {
  return Object.fromEntries(Object.entries(contents).filter(([name]) => !HISTORY.includes(name)));
}

async function aWorkspaceKey(): Promise<string> {
  const permissions = { scope: 'workspace', workspaceIds: [world.workspaceId], approvals: { decide: true } };
  return (await bed.api.must(200).post('/api/v1/api-keys', { name: 'Workspace', permissions })).plainKey;
}

async function send({ method }: Route, { key, path, query, body }: Request): Promise<ApiAnswer> {
  const headers = { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) };
  const signal = AbortSignal.timeout(HANGS_AFTER_MS);
  const response = await fetch(`${bed.apiUrl}${path}${query}`, { method: method.toUpperCase(), headers, body, signal });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
}

function requests(route: Route): fc.Arbitrary<Request> {
  const operation = schemas.operation(route);
  return fc.record({ key: fc.constantFrom(...keys), path: paths(route), query: queries(operation), body: bodies(route, operation) });
}

const ODD_SEGMENTS = [
  ...['00000000-0000-4000-8000-000000000000', 'apr_0000000000000000000000', "no-such-'id", '0', 'null', '__proto__', 'constructor'],
  ...['%00', '%ff', '%', '%2F', '%F0%9F%91%A9', '%0d%0a', 'x'.repeat(300), '(a+)+$'],
];

function paths({ method, path }: Route): fc.Arbitrary<string> {
  const ids = MATRIX[`${method} ${path}`]!.ids?.(world) ?? {};
  const segments = path.split('/').map((segment) => {
    const name = /^\{(\w+)\}$/.exec(segment)?.[1];
    if (name === undefined) return fc.constant(segment);
    const odd = { weight: 1, arbitrary: fc.constantFrom(...ODD_SEGMENTS) };
    return fc.oneof({ weight: 4, arbitrary: fc.constant(ids[name]!) }, odd);
  });
  return fc.tuple(...segments).map((parts) => parts.join('/'));
}

const ODD_QUERIES = ['', '&limit', '&limit=1&limit=2', '&a[b]=1&__proto__[x]=1', '&%ff=%00&%=%', '&workspaceId=', `&x=${'y'.repeat(3000)}`];

function queries({ parameters = [] }: Operation): fc.Arbitrary<string> {
  const declared = parameters.filter((parameter) => parameter.in === 'query');
  const odd = fc.constantFrom(...ODD_VALUES.filter((value) => typeof value !== 'object' && String(value).length < 1000));
  const values = declared.map(({ name, schema }) => {
    const value = fc.oneof({ weight: 3, arbitrary: arbitraryOfSchema(schema, schemas, name) }, { weight: 1, arbitrary: odd });
    return fc.option(value.map((one): [string, string] => [name, String(one).slice(0, 1000)]));
  });
  const search = fc.tuple(...values).map((pairs) => new URLSearchParams(pairs.filter((pair) => pair !== null)));
  const further = fc.oneof({ weight: 8, arbitrary: fc.constant('') }, { weight: 1, arbitrary: fc.constantFrom(...ODD_QUERIES) });
  return fc.tuple(search, further).map(([params, rest]) => `?${params}${rest}`);
}

const ODD_BODIES = [undefined, '', 'null', '[]', '5', '"text"', '{"a":', '{"a":1,"a":2}', '{"__proto__":{"name":"x"}}', '\ufeff{}'];

function bodies(route: Route, { requestBody }: Operation): fc.Arbitrary<string | undefined> {
  const odd = fc.constantFrom(...ODD_BODIES);
  if (route.method === 'get') return fc.constant(undefined);
  if (!requestBody) return odd;
  const known = fc.constant(MATRIX[`${route.method} ${route.path}`]!.body?.(world) ?? {});
  const fitting = fc.oneof(arbitraryOfSchema(requestBody.content['application/json'].schema, schemas), known);
  return fc.oneof(
    { weight: 5, arbitrary: fitting.map(jsonText) },
    { weight: 6, arbitrary: brokenJson(fitting).map(jsonText) },
    { weight: 1, arbitrary: odd },
  );
}

interface Operation {
  parameters?: { name: string; in: string; schema: JsonSchema }[];
  requestBody?: { content: { 'application/json': { schema: JsonSchema } } };
}

async function readSchemas() {
  const document = await callerOf(bed.apiUrl).must(200).get('/openapi.json');
  const at = (keys: string[]) => keys.reduce((node, key) => node[key], document);
  return {
    resolve: (reference: string) => at(reference.slice(2).split('/')) as JsonSchema,
    operation: ({ method, path }: Route) => document.paths[path][method] as Operation,
    known: {
      workspaceId: [world.workspaceId],
      workspaceIds: [[], [world.workspaceId]],
      workspaceIntegrationId: [world.integrationId],
      workspaceIntegrationIds: [[], [world.integrationId]],
      mcpServerIds: [[], [world.serverId]],
      connectionId: [world.connectionId, null],
      connectionExternalId: ['in the world'],
      externalId: [END_USER, 'in the world'],
      endUserId: [END_USER, world.endUserId],
      partialIds: [[], [world.partialId], ['In the world']],
      integrationName: ['kv-store', 'datetime', 'hash-encode', 'data-transformer', 'mail'],
      actionName: ['get', 'put', 'parse_date', 'hash', 'merge_objects', 'send'],
      propertyName: ['algorithm', 'key', 'objects'],
      input: [{ key: 'a', value: 1 }, { text: 'x' }, { dateString: 'today' }, { objects: [{}] }],
      integrationAlias: ['kv-store'],
      approvalId: [...world.approvalIds],
      token: [world.tokens['connect session (cst_)']],
    },
  };
}
