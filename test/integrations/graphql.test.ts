import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openOutbound } from '../../infra/outbound.ts';
import { openCatalog } from '../../integrations/catalog.ts';
import { issuesOf, runAction } from './run-action.ts';

const outbound = openOutbound({ allowHttp: true, allowCidrs: ['127.0.0.0/8'] });
const server = createServer((request, response) => answers[new URL(request.url!, 'http://x').pathname]!(request, response));
let base: string;

const answerJson =
  (status: number, body: unknown, type = 'application/json') =>
  (_: IncomingMessage, response: ServerResponse) =>
    response.writeHead(status, { 'content-type': type }).end(JSON.stringify(body));
const problem = { message: 'No such field', locations: [{ line: 1, column: 3 }], path: ['x'] };

const answers: Record<string, (request: IncomingMessage, response: ServerResponse) => unknown> = {
  '/echo': async (request, response) => {
    const { method, headers } = request;
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ data: { method, headers, body: await json(request) } }));
  },
  '/partial': answerJson(200, { data: { a: 1, b: null }, errors: [problem], extensions: { cost: 3 } }),
  '/errors': answerJson(200, { errors: [problem] }),
  '/refused': answerJson(400, { errors: [problem] }, 'application/graphql-response+json; charset=utf-8'),
  '/gate': answerJson(401, { errors: [{ message: 'sign in' }] }),
  '/leaky': (request, response) => {
    const { authorization, 'x-api-key': key } = request.headers;
    response.writeHead(403).end(JSON.stringify({ authorization, key, url: request.url, said: `${key}`.toUpperCase() }));
  },
  '/crafted': (_, response) => response.writeHead(500).end('[red'.repeat(5000)),
  '/late-echo': (request, response) => response.writeHead(403).end(`${'x'.repeat(1990)}${request.headers['x-api-key']}`),
  '/html': (_, response) => response.setHeader('content-type', 'text/html').end('<p>hello</p>'),
  '/list': answerJson(200, [{ data: 1 }]),
  '/null': answerJson(200, null),
  '/odd': answerJson(200, { data: 1, errors: 'many' }),
  '/large': answerJson(200, { data: 'x'.repeat(1024 * 1024) }),
  '/huge': answerJson(502, { errors: ['x'.repeat(1024 * 1024)] }, 'application/graphql-response+json'),
  '/moved': (_, response) => response.writeHead(302, { location: '/echo' }).end(),
};

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  await outbound.close();
  server.closeAllConnections();
  server.close();
});

const send = (path: string, input: object = {}) =>
  runAction('graphql.send_request', { url: base + path, query: '{ x }', ...input }, { outbound });

describe('the request', () => {
  test('is a POST with query and variables as JSON', async () => {
    const query = 'query ($id: ID!) { user(id: $id) { name } }';
    expect(await send('/echo', { query, variables: { id: 'ü', deep: [{ a: null }] } })).toEqual({
      status: 200,
      data: {
        method: 'POST',
        headers: expect.objectContaining({ 'content-type': 'application/json', accept: expect.stringContaining('graphql-response+json') }),
        body: { query, variables: { id: 'ü', deep: [{ a: null }] } },
      },
      errors: [],
    });
  });

  test('has no key for variables if the input has none', async () => {
    expect((await send('/echo')).data).toMatchObject({ body: { query: '{ x }' } });
  });

  test("has the caller's headers, except that the content type is always JSON", async () => {
    const headers = { Authorization: 'Bearer t0ken', 'X-Tenant': 'a', Accept: 'application/json', 'Content-Type': 'text/plain' };
    expect((await send('/echo', { headers })).data).toMatchObject({
      headers: { authorization: 'Bearer t0ken', 'x-tenant': 'a', accept: 'application/json', 'content-type': 'application/json' },
    });
  });
});

describe('the answer', () => {
  test('has errors beside the data', async () => {
    expect(await send('/partial')).toEqual({ status: 200, data: { a: 1, b: null }, errors: [problem], extensions: { cost: 3 } });
    expect(await send('/errors')).toEqual({ status: 200, data: null, errors: [problem] });
  });

  test('with an error status is an output if its content type is that of GraphQL, else a failure', async () => {
    expect(await send('/refused')).toEqual({ status: 400, data: null, errors: [problem] });
    await expect(send('/gate')).rejects.toMatchObject({
      code: 'ACTION_FAILED',
      message: expect.stringMatching(/^127\.0\.0\.1:\d+ answered 401 Unauthorized$/),
      details: { status: 401, body: expect.stringContaining('sign in') },
    });
  });

  test.each(['/html', '/list', '/null', '/odd'])('is a failure if it is not GraphQL: %s', async (path) => {
    await expect(send(path)).rejects.toMatchObject({
      code: 'ACTION_FAILED',
      message: expect.stringContaining('did not answer with a GraphQL response'),
    });
  });

  test('an answer above 1 MB, a redirect or a forbidden address is a failure', async () => {
    await expect(send('/large')).rejects.toMatchObject({ code: 'ACTION_FAILED', message: expect.stringContaining('larger than') });
    await expect(send('/moved')).rejects.toMatchObject({ code: 'ACTION_FAILED', details: { status: 302, body: '' } });
    await expect(send('', { url: 'http://10.0.0.1/graphql' })).rejects.toMatchObject({ code: 'ACTION_FAILED' });
  });

  test('a failure keeps its status, even with a body above 1 MB', async () => {
    await expect(send('/huge')).rejects.toMatchObject({
      code: 'ACTION_FAILED',
      message: expect.stringMatching(/ answered 502 Bad Gateway$/),
      details: { status: 502, body: expect.stringMatching(/^\{"errors":\["x{1900,}$/) },
    });
  });

  test('a failure contains no header value and no query value of the request', async () => {
    const headers = { Authorization: 'Bearer s3cret-token', 'X-API-Key': 'k"ey\\value' };
    const failed = await send('/leaky?api_key=s3cret-query', { headers }).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 'ACTION_FAILED', details: { status: 403, body: expect.stringContaining('[redacted]') } });
    const { message, details } = failed as { message: string; details: object };
    expect(JSON.stringify([message, details])).not.toMatch(/s3cret|ey\\*value/);
  });

  test('a failure is short, even if redaction would lengthen the text', async () => {
    const values = ['[red', 'reda', 'edac', 'dact', 'acte', 'cted', 'ted]', '[redacted]', 'ed][red', 'red]', ']x[redacted', 'edacted]'];
    const headers = Object.fromEntries(values.map((value, index) => [`x-${index}`, value]));
    const { details } = await send('/crafted', { headers }).catch((error) => error);
    expect(details).toEqual({ status: 500, body: '[redacted]' });
  });

  test('a failure that was cut contains no part of a secret', async () => {
    const { details } = await send('/late-echo', { headers: { 'x-api-key': 's3cret-that-is-longer-than-the-rest' } }).catch(
      (error) => error,
    );
    expect(details.body).toBe(`${'x'.repeat(1990)}[redacted]`);
  });
});

describe('categories', () => {
  const { categoryOf } = openCatalog().getAction('graphql', 'send_request');

  test.each([
    '{ me { name } }',
    'query { me }',
    'query Q($a: [Int!]! = [1], $b: In = { c: "}" }) @live(if: true) { me(a: $a) { ...F } } fragment F on Me { mutation }',
    '# mutation { x }\n{ me }',
    '{ a(text: "mutation { x }") }',
    '{ a(text: """ } mutation { x \\""" } """) }',
    '{ a(text: "\\"} mutation {x}") b(empty: "") }',
    '\ufeff,{ me },,',
    'query A { a } query B { b }',
    '"""what it is for""" query { me }',
    '{ mutation subscription }',
  ])('the category of %j is read', (query) => expect(categoryOf({ query })).toBe('read'));

  test.each([
    'mutation { x }',
    'mutation($a: Int) { x(a: $a) }',
    'query { a } mutation { b }',
    'query{a}mutation{b}',
    '# comment\r mutation { b }',
    '# comment\n,mutation M { b }',
    'fragment F on X { y } mutation { ...F }',
    'subscription { x }',
    'type X { y: Int }',
    '"""doc""" mutation { x }',
    '{ a(text: "unfinished) } mutation { b }',
    '{ a(text: """unfinished \\""") } mutation { b }',
    '{ a',
    'query',
    '} mutation { b }',
    'Query { a }',
    'querymutation { a }',
  ])('the category of %j is write', (query) => expect(categoryOf({ query })).toBe('write'));

  test('the category of the longest documents is computed in linear time', () => {
    const length = 256 * 1024;
    expect(categoryOf({ query: '{'.repeat(length) })).toBe('write');
    expect(categoryOf({ query: `{ a(t: """${'\\"""'.repeat(length / 5)}` })).toBe('write');
    expect(categoryOf({ query: `{ a(t: "${'\\'.repeat(length - 20)}` })).toBe('write');
    expect(categoryOf({ query: `{ a(t: "${'x'.repeat(length - 20)}") }` })).toBe('read');
    expect(categoryOf({ query: '{a}'.repeat(length / 3) })).toBe('read');
  });
});

describe('limits', () => {
  const input = (fields: object) => ({ url: 'https://example.com', query: '{ x }', ...fields });
  const headers = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`h${i}`, 'x']));
  test.each([
    ['no query', { query: '' }, 'query'],
    ['a query of more than 256 kB', { query: 'x'.repeat(256 * 1024 + 1) }, 'query'],
    ['no address', { url: '' }, 'url'],
    ['an invalid address', { url: 'example.com/graphql' }, 'url'],
    ['a header that cannot be sent', { headers: { Host: 'x' } }, 'headers.Host'],
    ['101 headers', { headers: headers(101) }, 'headers'],
    ['a header that is not a string', { headers: { a: 5 } }, 'headers.a'],
    ['variables that are a list', { variables: [1] }, 'variables'],
    ['an unknown key', { operationName: 'x' }, 'operationName'],
  ])('%s is refused', (_, fields, path) =>
    expect(issuesOf('graphql.send_request', input(fields)).map((issue) => issue.path)).toEqual([path]),
  );
  test('256 kB of query and 100 headers are accepted', () =>
    expect(issuesOf('graphql.send_request', input({ query: 'x'.repeat(256 * 1024), headers: headers(100) }))).toEqual([]));
});
