import { describeRoutes } from '../../api/openapi.ts';
import { ROUTES } from '../../api/routes.ts';
import { callerOf } from '../support/caller.ts';
import { system } from '../support/system.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document is read field by field
type Node = any;

test('GET /openapi.json answers OpenAPI 3.1 without a key', async () => {
  const { apiUrl } = await system();
  const { status, headers, body } = await callerOf(apiUrl).get('/openapi.json');
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
  expect(body.openapi).toBe('3.1.0');
  expect(body.servers).toEqual([{ url: apiUrl }]);
  expect((await callerOf(apiUrl).post('/openapi.json', {})).status).toBe(405);
});

describe('the document', () => {
  const document: Node = describeRoutes(ROUTES, 'https://gateway.example');
  const operations = ROUTES.map((route) => ({ route, operation: document.paths[route.path]?.[route.method] as Node }));

  test('describes every route, with its answers and every error status', () => {
    for (const { route, operation } of operations) {
      expect(operation).toBeDefined();
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining([...Object.keys(route.answers), '401', '429', '503']));
      for (const code of route.errors)
        expect(Object.values<Node>(operation.responses).some(({ description }) => description.includes(code))).toBe(true);
    }
  });

  test('declares every parameter of a path as required', () => {
    for (const { route, operation } of operations) {
      const inPath = (operation.parameters ?? []).filter((parameter: Node) => parameter.in === 'path');
      expect(inPath.map((parameter: Node) => [parameter.name, parameter.required])).toEqual(
        [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, true]),
      );
    }
  });

  test('asks for a body exactly where one is needed', () => {
    expect(document.paths['/api/v1/workspaces'].post.requestBody.required).toBe(true);
    expect(document.paths['/api/v1/approvals/{id}/approve'].post.requestBody.required).toBe(false);
    expect(document.paths['/api/v1/workspaces/{id}'].get.requestBody).toBeUndefined();
  });

  test('names each operation once', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('has no reference that leads nowhere', () => {
    for (const reference of referencesIn(document)) {
      const target = reference
        .replace('#/', '')
        .split('/')
        .reduce((node: Node, key) => node?.[key], document);
      expect([reference, typeof target]).toEqual([reference, 'object']);
    }
  });

  test('asks for an API key', () => {
    expect(document.security).toEqual([{ apiKey: [] }]);
    expect(document.components.securitySchemes.apiKey).toMatchObject({ type: 'http', scheme: 'bearer' });
  });
});

function referencesIn(node: Node): string[] {
  if (node === null || typeof node !== 'object') return [];
  return Object.entries(node).flatMap(([key, value]) => (key === '$ref' ? [value as string] : referencesIn(value)));
}
