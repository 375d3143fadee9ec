import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openOutbound } from '../../infra/outbound.ts';
import { answers } from './http-answers.ts';
import { issuesOf, runAction } from './run-action.ts';

const outbound = openOutbound({ allowHttp: true, allowCidrs: ['127.0.0.0/8'] });
const server = createServer((request, response) => answers[new URL(request.url!, 'http://x').pathname]!(request, response));
let base: string;

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
  runAction('http.send_request', { method: 'GET', url: base + path, ...input }, { outbound });
const sent = async (input: object, path = '/echo') =>
  (await send(path, { method: 'POST', ...input })).body as { method: string; url: string; headers: Record<string, string>; body: string };

describe('the request', () => {
  test('has the method, headers and query of the input', async () => {
    const queryParams = { q: 'a b&c', n: 5, yes: true, list: ['x', 'y'] };
    expect(await sent({ method: 'PATCH', headers: { 'X-Test': 'yes' }, queryParams }, '/echo?kept=1')).toMatchObject({
      ...{ method: 'PATCH', url: '/echo?kept=1&q=a+b%26c&n=5&yes=true&list=x&list=y', body: '' },
      headers: expect.objectContaining({ 'x-test': 'yes' }),
    });
  });

  test.each([
    ['json', { a: [1, null] }, 'application/json', '{"a":[1,null]}'],
    ['json', 'text', 'application/json', '"text"'],
    [undefined, { a: 1 }, 'application/json', '{"a":1}'],
    [undefined, 'plain', 'text/plain;charset=UTF-8', 'plain'],
    ['raw', '<x/>', 'text/plain;charset=UTF-8', '<x/>'],
    ['none', { ignored: 1 }, undefined, ''],
  ])('body_type %s with %j', async (body_type, body, contentType, expected) => {
    const seen = await sent({ body_type, body });
    expect([seen.headers['content-type'], seen.body]).toEqual([contentType, expected]);
  });

  test("the caller's content type is kept, in upper or lower case", async () => {
    expect((await sent({ body: { a: 1 }, headers: { 'CONTENT-TYPE': 'application/vnd.api+json' } })).headers['content-type']).toBe(
      'application/vnd.api+json',
    );
  });

  test('form_data is multipart, or urlencoded if the content type says so', async () => {
    const body = { name: 'Ada', tags: ['a', 'b'], n: 1 };
    const multipart = await sent({ body_type: 'form_data', body });
    expect(multipart.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    expect(multipart.body.match(/name="tags"/g)).toHaveLength(2);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(await sent({ body_type: 'form_data', body, headers })).toMatchObject({ body: 'name=Ada&tags=a&tags=b&n=1', headers });
  });

  test.each([
    [{ authType: 'BEARER_TOKEN', authFields: { token: 't0ken' } }, 'Bearer t0ken'],
    [{ authType: 'BASIC', authFields: { username: 'ada', password: 'p:w' } }, `Basic ${Buffer.from('ada:p:w').toString('base64')}`],
    [{ authType: 'BASIC', authFields: { username: 'ada', password: '' } }, `Basic ${Buffer.from('ada:').toString('base64')}`],
    [{ authType: 'NONE', authFields: { token: 'unused' } }, undefined],
    [{ headers: { AUTHORIZATION: 'Custom x' } }, 'Custom x'],
  ])('%j sends the header Authorization: %s', async (input, authorization) =>
    expect((await sent(input)).headers.authorization).toBe(authorization),
  );

  test.each([
    [{ method: 'CONNECT' }, 'method'],
    [{ method: 'get' }, 'method'],
    [{ timeout: 0 }, 'timeout'],
    [{ timeout: 101 }, 'timeout'],
    [{ headers: { a: 1 } }, 'headers.a'],
    [{ authFields: { secret: 'x' } }, 'authFields.secret'],
    [{ failureMode: 'some' }, 'failureMode'],
    [{ bodyType: 'json' }, 'bodyType'],
    [{ queryParams: { a: {} } }, 'queryParams.a'],
    [{ queryParams: { a: Array(3).fill('x'.repeat(8000)) } }, 'queryParams'],
    [{ url: '/relative' }, 'url'],
    [{ url: 'example.com' }, 'url'],
    [{ url: 'https://' }, 'url'],
    [{ url: 'ftp://example.com/' }, 'url'],
    [{ url: 'https://ada:pw@example.com/' }, 'url'],
    [{ url: '' }, 'url'],
    [{ authType: 'BEARER_TOKEN' }, 'authFields.token'],
    [{ authType: 'BEARER_TOKEN', authFields: { token: '' } }, 'authFields.token'],
    [{ authType: 'BEARER_TOKEN', authFields: { token: 'a\nb' } }, 'authFields.token'],
    [{ authType: 'BASIC', authFields: { username: 'x' } }, 'authFields.password'],
    [{ authType: 'BASIC', authFields: { password: 'x' } }, 'authFields.username'],
    [{ method: 'POST', body_type: 'json' }, 'body'],
    [{ method: 'POST', body_type: 'raw', body: { a: 1 } }, 'body'],
    [{ method: 'POST', body_type: 'form_data', body: 'a=1' }, 'body'],
    [{ method: 'POST', body_type: 'form_data', body: ['a'] }, 'body'],
    [{ method: 'POST', body_type: 'form_data', body: { a: { b: 1 }, c: 1 } }, 'body.a'],
    [{ headers: { Host: 'internal' } }, 'headers.Host'],
    [{ headers: { 'x-split': 'a\r\nb: c' } }, 'headers.x-split'],
    [{ headers: { 'bad name': 'a' } }, 'headers.bad name'],
  ])('%j is refused before the request, with one issue at its path', (input, path) =>
    expect(issuesOf('http.send_request', { method: 'GET', url: 'https://example.com', ...input }).map((issue) => issue.path)).toEqual([
      path,
    ]),
  );

  test('all issues are reported together, without issues that follow from others', () => {
    const input = {
      method: 'GIT',
      url: 'nowhere',
      timeout: 0,
      authType: 'BASIC',
      body_type: 'raw',
      body: 1,
      headers: { Host: 'x' },
      more: 1,
    };
    const issues = issuesOf('http.send_request', input);
    expect(issues.map(({ path }) => path).sort()).toEqual(
      ['authFields.password', 'authFields.username', 'body', 'headers.Host', 'method', 'more', 'timeout', 'url'].sort(),
    );
    expect(issuesOf('http.send_request', { method: 'GET', url: 5, authType: 'BASIC', authFields: 'ada' }).map(({ path }) => path)).toEqual([
      'url',
      'authFields',
    ]);
  });
});

describe('the answer', () => {
  test('has status, headers, and the body parsed by its content type', async () => {
    expect(await send('/status?code=201')).toMatchObject({
      status: 201,
      headers: { 'content-type': 'application/problem+json' },
      body: { saw: null },
    });
    expect((await send('/text')).body).toBe('café');
    expect((await send('/odd-charset')).body).toBe('café');
    expect((await send('/not-json')).body).toBe('<html>');
    expect((await send('/empty')).body).toBeNull();
    expect((await send('/bytes', { response_is_binary: true })).body).toBe('AP/+');
    expect(JSON.stringify((await send('/proto')).body)).toBe('{"__proto__":{"polluted":1}}');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test.each([
    ['all', [200, 302], [400, 404, 500, 503]],
    ['5xx', [200, 404], [500, 503]],
    ['none', [200, 404, 500], []],
  ])('failureMode %s: the statuses %j succeed, and %j fail', async (failureMode, fine, failing) => {
    for (const code of fine) expect(await send(`/status?code=${code}`, { failureMode })).toMatchObject({ status: code });
    for (const code of failing)
      await expect(send(`/status?code=${code}`, { failureMode })).rejects.toMatchObject({
        code: 'ACTION_FAILED',
        details: { status: code },
      });
  });

  test("by default, an error status fails with the third party's text, without credentials", async () => {
    const inputs = [
      { authType: 'BEARER_TOKEN', authFields: { token: 's3cret-token' } },
      { authType: 'BASIC', authFields: { username: 'ada', password: 's3cret' } },
      { headers: { Authorization: 'Bearer s3cret-header' } },
    ];
    for (const input of inputs) {
      const error = await send('/status?code=403', input).catch((error) => error);
      expect(error).toMatchObject({
        code: 'ACTION_FAILED',
        message: expect.stringMatching(/^127\.0\.0\.1:\d+ answered 403 Forbidden$/),
        details: { status: 403 },
      });
      expect(error.details.body).toMatch(/\[redacted\]/);
      expect(JSON.stringify(error.details)).not.toMatch(new RegExp(`s3cret|${Buffer.from('ada:s3cret').toString('base64')}`));
    }
  });

  test('a failure contains no header value, and no text or number of the query', async () => {
    const headers = { 'X-API-Key': 's3cret/key', Cookie: 'sid=s3cret-cookie; theme=dark' };
    const queryParams = { token: ['s3cret one', 's3cret&two'], pin: 53_737_373, yes: true };
    const error = await send('/echo-failed?raw=s3cret%2braw', { headers, queryParams }).catch((error) => error);
    expect(error).toMatchObject({ code: 'ACTION_FAILED', details: { status: 400, body: expect.stringContaining('yes=true') } });
    expect(JSON.stringify([error.message, error.details])).not.toMatch(/s3cret|5373/);
  });

  test('a failure is short, even if values are chosen so that redaction lengthens the text', async () => {
    const values = ['[red', 'reda', 'edac', 'dact', 'acte', 'cted', 'ted]', '[redacted]', 'ed][red', 'red]', ']x[redacted', 'edacted]'];
    const headers = Object.fromEntries(values.map((value, index) => [`x-${index}`, value]));
    const { details } = await send('/crafted', { headers, authFields: { token: 'acted' }, queryParams: { values } }).catch(
      (error) => error,
    );
    expect(details).toEqual({ status: 500, body: '[redacted]' });
  });

  test('a failure with a body that is too large keeps its status, in every failureMode', async () => {
    for (const failureMode of ['all', 'none']) {
      const error = await send('/huge?code=503', { failureMode }).catch((error) => error);
      expect(error).toMatchObject({
        code: 'ACTION_FAILED',
        message: expect.stringMatching(/ answered 503 Service Unavailable, with a body that is too large to be returned$/),
        details: { status: 503, body: expect.stringMatching(/^out of order /) },
      });
      expect(error.details.body.length).toBeLessThanOrEqual(2000);
    }
    await expect(send('/huge?code=200')).rejects.toMatchObject({ kind: 'too_large' });
  });

  test('redirects are returned as answers, or followed if the input says so', async () => {
    expect(await send('/moved')).toMatchObject({ status: 302, headers: { location: '/echo?moved' } });
    expect(await send('/moved', { followRedirects: true })).toMatchObject({ status: 200, body: { url: '/echo?moved' } });
    await expect(send('/inside', { followRedirects: true })).rejects.toMatchObject({ code: 'ACTION_FAILED', kind: 'blocked' });
  });

  test('the timeout is in seconds', () =>
    expect(send('/silent', { timeout: 1 })).rejects.toMatchObject({ kind: 'timeout', message: '127.0.0.1 did not answer within 1 s.' }));

  test('without development settings, requests to this machine are refused', async () => {
    const guarded = openOutbound({ allowHttp: false, allowCidrs: [] });
    for (const url of [base, 'https://127.0.0.1/', 'https://localhost/', 'https://[::1]/', 'https://169.254.169.254/']) {
      await expect(runAction('http.send_request', { method: 'GET', url }, { outbound: guarded })).rejects.toMatchObject({
        code: 'ACTION_FAILED',
        kind: 'blocked',
      });
    }
    await guarded.close();
  });
});
