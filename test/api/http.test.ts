import { request } from 'node:http';
import { ROUTES } from '../../api/routes.ts';
import { BODY_MAX_BYTES, BODY_MAX_DEPTH, BODY_MAX_KEYS } from '../../domain/limits.ts';
import { callerOf } from '../support/caller.ts';
import { type ApiBed, openApiBed } from './api-bed.ts';

const WORKSPACES = '/api/v1/workspaces';
const EXECUTE = '/api/v1/actions/execute';
const JSON_TYPE = { 'content-type': 'application/json' };

let bed: ApiBed;
beforeAll(async () => {
  bed = await openApiBed();
});
afterAll(() => bed.close());

const send = (method: string, path: string, headers: Record<string, string> = {}) =>
  fetch(`${bed.apiUrl}${path}`, { method, headers: { authorization: `Bearer ${bed.plainKey}`, ...headers } });

describe('methods', () => {
  test.each([
    ['PUT', WORKSPACES, 'GET, HEAD, POST'],
    ['OPTIONS', WORKSPACES, 'GET, HEAD, POST'],
    ['DELETE', WORKSPACES, 'GET, HEAD, POST'],
    ['GET', EXECUTE, 'POST'],
    ['HEAD', EXECUTE, 'POST'],
    ['OPTIONS', EXECUTE, 'POST'],
    ['POST', '/health', 'GET, HEAD'],
    ['OPTIONS', '/ready', 'GET, HEAD'],
    ['DELETE', '/openapi.json', 'GET, HEAD'],
    ['PUT', '/docs/try.js', 'GET, HEAD'],
  ])('%s %s answers 405 and names the allowed methods', async (method, path, allow) => {
    const answer = await send(method, path);
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow]);
    if (method !== 'HEAD') expect(await answer.json()).toMatchObject({ code: 'METHOD_NOT_ALLOWED', error: expect.any(String) });
  });

  test('HEAD returns the headers of GET without a body', async () => {
    const [head, get] = [await send('HEAD', WORKSPACES), await send('GET', WORKSPACES)];
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(head.headers.get('content-length')).toBe(String((await get.arrayBuffer()).byteLength));
  });
});

test('every answer has a request id, including errors and pages', async () => {
  const ids = await Promise.all(
    [WORKSPACES, '/nothing', `${WORKSPACES}/x`, '/health', '/openapi.json', '/docs', '/approve/x', EXECUTE].map(async (path) =>
      (await send('GET', path)).headers.get('x-request-id'),
    ),
  );
  for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
  expect(new Set(ids).size).toBe(ids.length);
});

test.each([
  ['12345678', true],
  ['a'.repeat(100), true],
  ['req_1.2-3', true],
  ['1234567', false],
  ['a'.repeat(101), false],
  ['with space', false],
  ['semi;colon', false],
])('a request id %p from the caller is kept: %p', async (id, isKept) => {
  const answered = (await send('GET', '/health', { 'x-request-id': id })).headers.get('x-request-id');
  expect(answered === id).toBe(isKept);
});

test('answers with records cannot be cached', async () => {
  expect((await send('GET', WORKSPACES)).headers.get('cache-control')).toBe('no-store');
});

describe('bodies', () => {
  const post = (body: string, headers: Record<string, string> = JSON_TYPE) => bed.api.post(EXECUTE, body, headers);
  const execute = (input: string) =>
    `{"workspaceId":"${bed.workspaceId}","integrationName":"data-transformer","actionName":"merge_objects","input":${input}}`;

  test('bodies of up to 1 MB are read; one more byte is refused', async () => {
    const around = execute('{"objects":[{"a":""}],"strategy":"deep"}');
    const exactly = around.replace('"a":""', `"a":"${'x'.repeat(BODY_MAX_BYTES - around.length)}"`);
    expect(Buffer.byteLength(exactly)).toBe(BODY_MAX_BYTES);
    expect((await post(exactly)).status).toBe(200);
    expect(await post(`${exactly} `)).toMatchObject({ status: 413, body: { code: 'PAYLOAD_TOO_LARGE' } });
  });

  test('bodies sent in chunks have the same limit; the caller still receives the answer', async () => {
    const status = await new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${bed.plainKey}`, ...JSON_TYPE };
      const call = request(`${bed.apiUrl}${WORKSPACES}`, { method: 'POST', headers }, (answer) => resolve(answer.resume().statusCode));
      call.on('error', reject);
      for (let piece = 0; piece < 30; piece += 1) call.write(Buffer.alloc(100_000, 32));
      call.end();
    });
    expect(status).toBe(413);
  });

  test('bodies can be nested up to the limit', async () => {
    const nested = (levels: number) => `{"objects":[{"a":${'['.repeat(levels)}${']'.repeat(levels)}}],"strategy":"first"}`;
    const around = 4;
    expect((await post(execute(nested(BODY_MAX_DEPTH - around - 1)))).body.code).not.toBe('VALIDATION_ERROR');
    expect(await post(execute(nested(BODY_MAX_DEPTH)))).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR', details: { issues: [{ path: '', message: expect.stringContaining('deep') }] } },
    });
  });

  test('bodies with more values than the limit are refused', async () => {
    const many = (count: number) => execute(`{"objects":[{"a":[${'0,'.repeat(count - 1)}0]}],"strategy":"first"}`);
    expect((await post(many(BODY_MAX_KEYS - 100))).status).toBe(200);
    expect(await post(many(BODY_MAX_KEYS + 1))).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
  });

  test.each([
    ['no type', {}],
    ['a form', { 'content-type': 'multipart/form-data; boundary=x' }],
    ['text', { 'content-type': 'text/plain' }],
    ['compressed JSON', { ...JSON_TYPE, 'content-encoding': 'gzip' }],
  ])('bodies with another content type or with an encoding are refused: %s', async (_, headers) => {
    const answer = await fetch(`${bed.apiUrl}${WORKSPACES}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bed.plainKey}`, ...headers } as Record<string, string>,
      body: Buffer.from('{"name":"x","slug":"x"}'),
    });
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });

  test.each(['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/vnd.api+json'])(
    'bodies with the content type %s are read',
    async (type) => {
      expect((await post('{}', { 'content-type': type })).body.code).toBe('VALIDATION_ERROR');
    },
  );

  test.each(['{', 'null', '"text"', '[]', '17', '{"name":"\\ud800"}'])(
    'bodies that are no JSON object or contain a lone surrogate are refused: %s',
    async (body) => {
      const answer = await bed.api.post(WORKSPACES, body, JSON_TYPE);
      expect([answer.status, ['INVALID_JSON', 'VALIDATION_ERROR'].includes(answer.body.code)]).toEqual([400, true]);
    },
  );

  test.each<[string, string, string]>([
    [WORKSPACES, '{"name":"x","slug":"x","more":[{"deep":1e400}]}', 'more.0.deep'],
    ['/api/v1/actions/execute', '{"integrationName":"kv-store","actionName":"put","input":{"key":"k","value":[-1e400]}}', 'input.value.0'],
    ['/api/v1/approval-policies/test', '{"policy":{},"context":{"input":{"amount":1e400}}}', 'context.input.amount'],
  ])("bodies with an overflowing number are refused, and the error names the number's path: %s", async (path, body, place) => {
    const answer = await bed.api.post(path, body, JSON_TYPE);
    expect([answer.status, answer.body.code, answer.body.details.issues]).toEqual([
      400,
      'VALIDATION_ERROR',
      [{ path: place, message: 'is a number beyond 1.8e308, which is too large to be read' }],
    ]);
  });

  test('bodies that are not valid UTF-8 are refused as invalid JSON', async () => {
    const answer = await fetch(`${bed.apiUrl}${WORKSPACES}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bed.plainKey}`, ...JSON_TYPE },
      body: Buffer.from([0x22, 0xff, 0xfe, 0x22]),
    });
    expect(((await answer.json()) as { code: string }).code).toBe('INVALID_JSON');
  });

  test('if a body repeats a key, its last value is used', async () => {
    const { body } = await bed.api.post(WORKSPACES, '{"name":"first","slug":"twice","name":"last"}', JSON_TYPE);
    expect(body.workspace.name).toBe('last');
  });

  test('bodies with the keys __proto__, constructor or prototype do not change any prototype', async () => {
    const objects = '[{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}},{"kept":1}]';
    const answer = await post(execute(`{"objects":${objects},"strategy":"deep"}`));
    expect(answer.status).toBe(200);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    expect((await bed.api.must(200).get(WORKSPACES)).polluted).toBeUndefined();
  });
});

describe('the order of checks', () => {
  const NOBODY = '00000000-0000-4000-8000-000000000000';

  test('the credential is checked before the body', async () => {
    const nobody = callerOf(bed.apiUrl);
    expect((await nobody.post(WORKSPACES, '{', JSON_TYPE)).status).toBe(401);
    expect((await nobody.post(`${WORKSPACES}/${NOBODY}/integrations`, {})).status).toBe(401);
  });

  test("the body is checked before the record's existence", async () => {
    expect((await bed.api.post(`${WORKSPACES}/${NOBODY}/integrations`, { colour: 1 })).body.code).toBe('VALIDATION_ERROR');
  });

  test("the record's existence is checked before the key's access", async () => {
    const { plainKey } = await bed.api
      .must(200)
      .post('/api/v1/api-keys', { name: 'none', permissions: { scope: 'workspace', workspaceIds: [] } });
    const locked = callerOf(bed.apiUrl, plainKey);
    expect((await locked.get(`${WORKSPACES}/${NOBODY}`)).status).toBe(404);
    expect((await locked.get(`${WORKSPACES}/${bed.workspaceId}`)).status).toBe(403);
  });
});

test('/health needs no key; /ready names the missing dependency', async () => {
  expect(await callerOf(bed.apiUrl).get('/health')).toMatchObject({ status: 200, body: { status: 'healthy' } });
  const { status, body, headers } = await callerOf(bed.apiUrl).get('/ready');
  expect([status, body.code, body.details, headers.get('retry-after')]).toEqual([503, 'UNAVAILABLE', { missing: ['temporal'] }, '1']);
});

test.each(ROUTES.filter(({ method }) => method === 'post' || method === 'patch').map(({ method, path }) => [method.toUpperCase(), path]))(
  '%s %s refuses a body with an unknown field, even if the route needs no body',
  async (method, path) => {
    const address = `${bed.apiUrl}${path.replace(/\{\w+\}/g, '11111111-1111-4111-8111-111111111111')}`;
    const headers = { authorization: `Bearer ${bed.plainKey}`, ...JSON_TYPE };
    const answer = await fetch(address, { method, headers, body: '{"nobodyKnowsThis":1}' });
    expect([answer.status, JSON.stringify(await answer.json())]).toEqual([400, expect.stringMatching(/nobodyKnowsThis/)]);
  },
);
