import fc from 'fast-check';
import { GatewayError } from '../../../../domain/errors.ts';
import { readOpenapi } from '../../../../integrations/custom/openapi/read-openapi.ts';
import { importOpenapi } from './import.ts';
import { document, jsonAnswer, jsonBody } from './read.ts';

const refusal = (given: unknown, input: object = {}) =>
  importOpenapi(given, input).then(
    () => 'imported',
    (error) => error,
  );
const head = 'openapi: "3.1.0"\nservers: [{ url: "https://api.example" }]\n';

describe('too large or too complex', () => {
  const bomb = Array.from({ length: 9 }, (_, level) => `a${level + 1}: &a${level + 1} [${`*a${level},`.repeat(10)}]`);
  test.each<[string, () => unknown, string]>([
    ['32 MiB and a byte', () => ' '.repeat(32 * 1024 * 1024 + 1), 'DOCUMENT_TOO_LARGE'],
    ['an alias bomb', () => `${head}a0: &a0 [x]\n${bomb.join('\n')}\npaths: {}`, 'DOCUMENT_TOO_COMPLEX'],
    ['an alias of itself', () => `${head}a: &a [*a]\npaths: {}`, 'DOCUMENT_TOO_COMPLEX'],
    ['1,001 aliases', () => `${head}a: &a x\nb: [${'*a,'.repeat(1001)}]\npaths: {}`, 'DOCUMENT_TOO_COMPLEX'],
    ['JSON nested deeper than 200', () => `${'{"a":'.repeat(201)}1${'}'.repeat(201)}`, 'DOCUMENT_TOO_COMPLEX'],
    ['a million open brackets', () => '['.repeat(1_000_000) + ']'.repeat(1_000_000), 'DOCUMENT_TOO_COMPLEX'],
    ['YAML nested deeper than 200', () => `${head}paths: ${'['.repeat(300)}${']'.repeat(300)}`, 'DOCUMENT_TOO_COMPLEX'],
    ['more than 3,000,000 nodes', () => `{"openapi":"3.1.0","x":[${'0,'.repeat(3_000_001)}0]}`, 'DOCUMENT_TOO_COMPLEX'],
    ['ten million lists, which need more memory than a thread has', () => `[${'[],'.repeat(10_000_000)}[]]`, 'DOCUMENT_TOO_COMPLEX'],
  ])('%s', async (_, given, code) => {
    expect(await refusal(given())).toMatchObject({ code });
  });

  test('more than 2,000 selected operations are refused, and the error names their tags', async () => {
    const tagged = (index: number) => ({ get: { operationId: `get${index}`, tags: [`tag${index % 2}`] } });
    const paths = Object.fromEntries(Array.from({ length: 2001 }, (_, index) => [`/p${index}`, tagged(index)]));
    expect(await refusal(document(paths))).toMatchObject({
      code: 'TOO_MANY_ACTIONS',
      details: {
        tags: [
          { name: 'tag0', operations: 1001 },
          { name: 'tag1', operations: 1000 },
        ],
      },
    });
    expect(await importOpenapi(document(paths), { select: { tags: ['tag0'] } })).toMatchObject({
      report: { operations: 2001, imported: 1001, leftOutCount: 1000 },
    });
  });
});

describe('texts that are not an OpenAPI document', () => {
  test.each<[string, unknown]>([
    ['a list', []],
    ['a text', '"hello"'],
    ['a number', 5],
    ['nothing', ''],
    ['an object of another kind', { hello: 'world' }],
    ['a list as paths', { openapi: '3.1.0', paths: [] }],
    ['an object as version', { openapi: {}, paths: {} }],
    ['bytes that are not UTF-8', new Uint8Array([0xff, 0xfe, 0x41])],
  ])('%s is DOCUMENT_INVALID', async (_, given) => {
    expect(await refusal(given)).toMatchObject({
      code: 'DOCUMENT_INVALID',
      details: { issues: [{ path: expect.any(String), message: expect.any(String) }] },
    });
  });

  test.each<[string, string, number]>([
    ['YAML', 'openapi: 3.1.0\npaths:\n  /a: {\n    get: [\n', 5],
    ['JSON', '{\n  "openapi": "3.1.0",\n  "paths": {]\n}', 3],
    ['a duplicate key', 'openapi: 3.1.0\npaths: {}\npaths: {}\n', 3],
  ])('the error for %s has line and column', async (_, text, line) => {
    expect(await refusal(text)).toMatchObject({ code: 'DOCUMENT_INVALID', details: { issues: [{ line, column: expect.any(Number) }] } });
  });

  test.each<[string, object]>([
    ['Swagger 1', { swaggerVersion: '1.2' }],
    ['Swagger 1.2', { swagger: '1.2' }],
    ['AsyncAPI', { asyncapi: '3.0.0' }],
    ['OpenAPI 3.2', { openapi: '3.2.0' }],
    ['OpenAPI 4', { openapi: '4.0.0' }],
  ])('%s is DOCUMENT_UNSUPPORTED', async (_, given) => {
    expect(await refusal({ ...given, paths: {} })).toMatchObject({ code: 'DOCUMENT_UNSUPPORTED' });
  });

  test('a document without operations is NOTHING_TO_IMPORT', async () => {
    expect(await refusal(document({}))).toMatchObject({ code: 'NOTHING_TO_IMPORT' });
    const select = { operations: ['GET /gone'] };
    expect(await refusal(document({ '/a': { get: {} } }), { select })).toMatchObject({ code: 'NOTHING_TO_IMPORT' });
  });
});

test('keys named like prototype properties are ordinary keys', async () => {
  const text = `{"openapi":"3.1.0","servers":[{"url":"https://api.example"}],"__proto__":{"polluted":1},"paths":{
    "/__proto__":{"post":{"operationId":"__proto__","requestBody":{"content":{"application/json":{"schema":
    {"$ref":"#/components/schemas/__proto__"}}}}}}},"components":{"schemas":{"__proto__":{"type":"array","items":{"type":"object","properties":{"__proto__":{"type":"string"}}}}}}}`;
  const { integration } = await importOpenapi(text);
  expect(integration.actions.map(({ name }) => name)).toEqual(['proto']);
  expect({}).not.toHaveProperty('polluted');
});

test('characters that the database cannot store are replaced', async () => {
  const { integration } = await importOpenapi(document({ '/a': { get: { summary: 'a\0b\ud800', description: 'c\0' } } }));
  expect(integration.actions[0]).toMatchObject({ displayName: 'a\ufffdb\ufffd' });
  expect(JSON.stringify(integration)).not.toMatch(/\\u0000|\\ud800/);
});

test('after a refused document, the next document is read', async () => {
  await expect(importOpenapi('['.repeat(500))).rejects.toMatchObject({ code: 'DOCUMENT_TOO_COMPLEX' });
  expect(await importOpenapi(document({ '/a': { get: {} } }))).toMatchObject({ report: { imported: 1 } });
});

test('every mutation of a document is read or fails with an error of the contract', async () => {
  const whole = document(
    {
      '/pets/{id}': {
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        post: {
          operationId: 'post',
          tags: ['a'],
          security: [{ main: ['x'] }],
          ...jsonBody({ $ref: '#/components/schemas/Pet' }),
          ...jsonAnswer({ allOf: [{ type: 'object' }] }),
        },
      },
    },
    {
      components: {
        schemas: {
          Pet: { type: 'object', required: ['a'], properties: { a: { type: 'array', items: { $ref: '#/components/schemas/Pet' } } } },
        },
        securitySchemes: {
          main: { type: 'oauth2', flows: { authorizationCode: { authorizationUrl: 'https://a.example', tokenUrl: 'https://b.example' } } },
        },
      },
    },
  );
  const paths = pathsIn(whole);
  const swap = fc.record({
    at: fc.constantFrom(...paths),
    value: fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom({ $ref: '#' }, { $ref: '#/paths' }, '\0')),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(swap, { minLength: 1, maxLength: 4 }),
      fc.constantFrom('3.1.0', '3.0.0', 'swagger'),
      async (swaps, version) => {
        const changed = structuredClone(whole) as Record<string, unknown>;
        for (const { at, value } of swaps) replaceAt(changed, at, structuredClone(value));
        if (version === 'swagger') Object.assign(changed, { openapi: undefined, swagger: '2.0' });
        else Object.assign(changed, { openapi: version });
        const error = await readOpenapi(changed, {}, { names: new Map(), refused: async () => [] }).then(
          () => undefined,
          (thrown) => thrown,
        );
        if (error !== undefined && !(error instanceof GatewayError)) throw error;
      },
    ),
    { numRuns: 400 },
  );
});

function pathsIn(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [[...path, key], ...pathsIn(inner, [...path, key])]);
}

function replaceAt(root: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const parent = path
    .slice(0, -1)
    .reduce<unknown>((at, key) => (typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[key] : undefined), root);
  if (typeof parent === 'object' && parent !== null) (parent as Record<string, unknown>)[path.at(-1)!] = value;
}

test('numbers that JSON cannot represent become null', async () => {
  const text = 'openapi: 3.1.0\nservers: [{ url: https://api.example }]\npaths:\n  /a:\n    get:\n      parameters:\n';
  const parameter = '        - { name: x, in: query, schema: { const: .inf, default: .nan } }\n';
  const { integration } = await importOpenapi(`${text}${parameter}      responses: {}\n`);
  expect(JSON.parse(integration.actions[0]!.text).input.properties.x).toEqual({ const: null, description: 'Default: null.' });
});
