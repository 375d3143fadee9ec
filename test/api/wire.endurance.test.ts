import { ROUTES } from '../../api/routes.ts';
import { openTokens } from '../../infra/tokens.ts';
import { callerOf } from '../support/caller.ts';
import { system } from '../support/system.ts';
import { checkedTenant, withKey } from './checked-caller.ts';

const WORKSPACES = '/api/v1/workspaces';
const NOBODY = '00000000-0000-4000-8000-000000000000';

test('missing, malformed, unknown, expired and revoked keys all get the same answer', async () => {
  const tenant = await checkedTenant();
  const { secrets } = await system();
  const { apiKey, plainKey: revoked } = await tenant.api.must(200).post('/api/v1/api-keys', { name: 'revoked' });
  const { plainKey: expired } = await tenant.api.must(200).post('/api/v1/api-keys', { name: 'expired', expiresAt: '2020-01-01T00:00:00Z' });
  await tenant.api.must(200).delete(`/api/v1/api-keys/${apiKey.id}`);
  const unknown = openTokens(secrets.TOKEN_PEPPER).issue('svc_');
  for (const key of [undefined, '', 'svc_short', `${unknown.slice(0, -1)}!`, unknown, expired, revoked]) {
    const { status, body, headers } = await callerOf(tenant.apiUrl, key).get(WORKSPACES);
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(body).toEqual({ error: 'A valid credential is needed: Authorization: Bearer <token>.', code: 'UNAUTHORIZED' });
  }
});

test('an unknown path answers 404, a wrong method 405 with the allowed methods', async () => {
  const { api } = await checkedTenant();
  expect(await api.get('/api/v1/nothing')).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  const wrong = await api.delete(WORKSPACES);
  expect([wrong.status, wrong.body.code, wrong.headers.get('allow')]).toEqual([405, 'METHOD_NOT_ALLOWED', 'GET, HEAD, POST']);
  expect((await api.post(`${WORKSPACES}/${NOBODY}`, {})).headers.get('allow')).toBe('GET, HEAD, PATCH, DELETE');
});

test('each kind of unreadable body has its own error code', async () => {
  const { api } = await checkedTenant();
  const json = { 'content-type': 'application/json' };
  expect(await api.post(WORKSPACES, '{"name":', json)).toMatchObject({ status: 400, body: { code: 'INVALID_JSON' } });
  expect(await api.post(WORKSPACES, 'name=x', { 'content-type': 'application/x-www-form-urlencoded' })).toMatchObject({
    status: 415,
    body: { code: 'UNSUPPORTED_MEDIA_TYPE' },
  });
  expect(await api.post(WORKSPACES, JSON.stringify({ name: 'x'.repeat(1024 * 1024) }), json)).toMatchObject({
    status: 413,
    body: { code: 'PAYLOAD_TOO_LARGE' },
  });
});

test('a DELETE without a body may declare the JSON type', async () => {
  const tenant = await checkedTenant();
  const { apiKey } = await tenant.api.must(200).post('/api/v1/api-keys', { name: 'to delete' });
  const answer = await fetch(`${tenant.apiUrl}/api/v1/api-keys/${apiKey.id}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${tenant.plainKey}`, 'content-type': 'application/json' },
  });
  expect(await answer.json()).toEqual({ deleted: true, id: apiKey.id });
});

test('one answer reports every issue of a body, each with its path', async () => {
  const { api, workspaceId } = await checkedTenant();
  const { status, body } = await api.post('/api/v1/approval-policies', {
    workspaceId,
    name: 'x'.repeat(121),
    priority: -1,
    sources: ['rest', 'fax'],
    rules: { amountThresholds: [{ path: 'amount' }], unknownRule: 1 },
    approvers: [{ type: 'webhook' }, { type: 'oracle' }],
    timeoutSeconds: 59,
    colour: 'red',
  });
  expect([status, body.code]).toEqual([400, 'VALIDATION_ERROR']);
  const paths = body.details.issues.map(({ path }: { path: string }) => path).sort();
  expect(paths).toEqual(
    [
      'approvers.0.webhookUrl',
      'approvers.1.type',
      'colour',
      'name',
      'priority',
      'rules.amountThresholds.0',
      'rules.unknownRule',
      'sources.1',
      'timeoutSeconds',
    ].sort(),
  );
  for (const { message } of body.details.issues) expect(message).not.toBe('');
});

test('a body with too many levels or too many values is refused', async () => {
  const { api, workspaceId } = await checkedTenant();
  const deep = `{"a":${'['.repeat(70)}${']'.repeat(70)}}`;
  const request = (input: string) => `{"workspaceId":"${workspaceId}","integrationName":"kv-store","actionName":"put","input":${input}}`;
  const json = { 'content-type': 'application/json' };
  expect(await api.post('/api/v1/actions/execute', request(deep), json)).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
  expect(await api.post('/api/v1/actions/execute', request(`[${'0,'.repeat(60_000)}0]`), json)).toMatchObject({
    status: 400,
    body: { code: 'VALIDATION_ERROR' },
  });
});

test('a key named __proto__ is refused as an unknown key', async () => {
  const { api } = await checkedTenant();
  const answer = await api.post(WORKSPACES, '{"name":"a","slug":"a","__proto__":{"x":1}}', { 'content-type': 'application/json' });
  expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
});

test("the answer has the caller's request id, or a new id if the caller's id is invalid", async () => {
  const { api } = await checkedTenant();
  expect((await api.get(WORKSPACES, undefined, { 'x-request-id': 'my-request-1' })).headers.get('x-request-id')).toBe('my-request-1');
  expect((await api.get(WORKSPACES, undefined, { 'x-request-id': '<script>' })).headers.get('x-request-id')).not.toContain('<');
});

test.each([
  ['limit', ['0', '101', '1.5', 'many', '-1', '']],
  ['offset', ['-1', '1.5', 'some', '99999999999999999999']],
])('%s outside its bounds is refused instead of being corrected', async (name, values) => {
  const { api } = await checkedTenant();
  for (const value of values) {
    const { status, body } = await api.get(`${WORKSPACES}?${name}=${value}`);
    expect([status, body.code, body.details?.issues[0].path]).toEqual([400, 'VALIDATION_ERROR', name]);
  }
});

describe('hostile values', () => {
  const NASTY = [
    '\u0000',
    'a\u0000b',
    '\ud800',
    '\u{10ffff}',
    "'; drop table workspaces; --",
    '%00',
    '../..',
    '\r\nX: y',
    'a'.repeat(5000),
  ];

  test.each(ROUTES.map((route) => [route.method, route.path, route] as const))(
    'never cause a 5xx from %s %s',
    async (method, path, route) => {
      const { api, workspaceId, plainKey, apiUrl } = await checkedTenant();
      const known = Object.keys((route.query as { shape?: object } | undefined)?.shape ?? {});
      for (const nasty of NASTY) {
        const inPath = path.replace(/\{\w+\}/g, () => encodeURIComponent(nasty.toWellFormed()));
        const text = JSON.stringify(nasty);
        const body = `{"name":${text},"slug":${text},"workspaceId":"${workspaceId}","reason":${text},"metadata":{"a":${text}},"input":{"key":${text}},"integrationName":${text},"actionName":${text},"code":${text},"externalId":${text},"endUserId":${text},"propertyName":${text},"connectionName":${text},"values":{"a":${text}},"email":${text},"type":"SECRET_TEXT","secretText":${text},"token":${text}}`;
        // Only known keys are sent: unknown keys are refused before the values are checked.
        const query = ['workspaceId', 'cursor', 'name', 'id'].filter((key) => known.includes(key));
        const search = new URLSearchParams(Object.fromEntries(query.map((key) => [key, nasty.toWellFormed()])));
        const answer = await fetch(`${apiUrl}${inPath}?${search}`, {
          method: method.toUpperCase(),
          headers: { authorization: `Bearer ${plainKey}`, 'content-type': 'application/json' },
          ...(method !== 'get' && { body }),
        });
        expect([nasty, answer.status < 500]).toEqual([nasty, true]);
        await answer.arrayBuffer();
      }
      expect((await api.get(WORKSPACES)).status).toBe(200);
    },
  );
});

test('texts that Postgres cannot store are refused and not written', async () => {
  const tenant = await checkedTenant();
  const { api, workspaceId } = tenant;
  for (const [path, body] of [
    ['/api/v1/api-keys', { name: 'a\u0000b' }],
    [WORKSPACES, { name: 'a\u0000b', slug: 'a' }],
    ['/api/v1/mcp/servers', { name: 'a\u0000b', workspaceId }],
    [`${WORKSPACES}/${workspaceId}/integrations`, { integrationName: 'kv-store', displayName: 'a\u0000b' }],
    [
      `${WORKSPACES}/${workspaceId}/integrations`,
      { integrationName: 'kv-store', settings: { persistence: { scope: 'external', externalId: 'a\u0000b' } } },
    ],
    ['/api/v1/approval-policies', { name: 'a\u0000b' }],
  ] as const) {
    expect(await api.post(path, body)).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR', details: { issues: [expect.any(Object)] } },
    });
  }
  expect((await api.get(`${WORKSPACES}/${workspaceId}/integrations`)).body.total).toBe(0);
  expect((await (await withKey(tenant, {})).get('/api/v1/mcp/servers')).body.total).toBe(0);
});
