import { dump } from 'js-yaml';
import { BODY_MAX_BYTES } from '../../../../domain/limits.ts';
import { newOrg } from '../../../support/new-org.ts';
import { checkedCaller } from '../../checked-caller.ts';
import { GET_TASK, I, importTasks, type OwnBed, openOwnBed, tasksAt } from './own-bed.ts';

let bed: OwnBed;
beforeAll(async () => {
  bed = await openOwnBed({ QUOTA_CUSTOM_INTEGRATIONS: '30' });
});
afterAll(() => bed.close());

const run = (integrationName: string, actionName: string, input: object) =>
  bed.api.post('/api/v1/actions/execute', { workspaceId: bed.workspaceId, integrationName, actionName, input });

test('an imported declarative document becomes an integration that can be listed, read and called', async () => {
  const { integration, report } = await importTasks(bed, 'tasks', tasksAt(bed.thirdParty.url));
  expect(integration).toMatchObject({
    ...{ name: 'tasks', custom: true, version: 1, status: 'ACTIVE', lastError: null, pendingChanges: 0, baseUrl: bed.thirdParty.url },
    source: { kind: 'declarative', format: 'declarative-1', url: null, documentHash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    actions: { get_task: { source: { operation: 'GET /tasks/{id}', operationId: 'get_task' }, categoryFrom: 'document', enabled: true } },
  });
  expect(report).toMatchObject({ operations: 2, imported: 2, typed: 2, typedShare: 1, categories: { read: 1, write: 1 } });
  expect(await bed.api.must(200).get(`${I}/tasks`)).toEqual({ integration, report });
  const { integrations } = await bed.api.must(200).get(`${I}?custom=true`);
  expect(integrations).toMatchObject([{ name: 'tasks', custom: true, actionCount: 2 }]);
  expect((await run('tasks', 'get_task', { id: 'a b' })).body).toMatchObject({ success: true, output: { id: 't1', title: 'First' } });
  expect(bed.thirdParty.received.at(-1)).toMatchObject({ method: 'GET', path: '/tasks/a%20b' });
  expect((await run('tasks', 'create_task', { title: 'New' })).body).toMatchObject({ success: true });
  expect(bed.thirdParty.received.at(-1)).toMatchObject({ method: 'POST', path: '/tasks', body: '{"title":"New"}' });
});

test('a document can be YAML from a URL; the secrets for the fetch are neither returned nor stored in plain text', async () => {
  const text = dump(tasksAt(bed.thirdParty.url));
  expect(text).toMatch(/^displayName: Tasks$/m);
  bed.thirdParty.answerWith(() => ({ status: 200, body: text }));
  const secrets = { headers: { 'X-Team': 'team-secret-1' }, fetchAuth: { type: 'bearer', token: 'token-secret-2' } };
  const imported = await bed.api
    .must(201)
    .post(`${I}/import`, { kind: 'declarative', name: 'by-url', url: `${bed.thirdParty.url}/doc`, ...secrets });
  bed.thirdParty.answerWith(() => ({ status: 200, body: '{"id":"t1","title":"First"}' }));
  expect(bed.thirdParty.received.at(-1)!.headers).toMatchObject({ 'x-team': 'team-secret-1', authorization: 'Bearer token-secret-2' });
  expect(imported.integration.source.url).toBe(`${bed.thirdParty.url}/doc`);
  const stored = await bed.patient('custom_integrations').where({ name: 'by-url' }).first();
  expect(JSON.stringify([imported, { ...stored, sealed_fetch: stored.sealed_fetch.toString('latin1') }])).not.toMatch(/secret-\d/);
});

test('a preview stores nothing', async () => {
  const body = { kind: 'declarative', name: 'only-seen', document: tasksAt(bed.thirdParty.url), preview: true };
  const { integration } = await bed.api.must(200).post(`${I}/import`, body);
  expect(integration).toMatchObject({ name: 'only-seen', custom: true });
  expect((await bed.api.get(`${I}/only-seen`)).body.code).toBe('INTEGRATION_NOT_FOUND');
});

test.each([
  ['the name of a built-in integration', { name: 'github' }, 409, 'DUPLICATE'],
  ['a reserved word of the API', { name: 'import' }, 400, 'VALIDATION_ERROR'],
  ['a name with a look-alike letter', { name: 'tаsks' }, 400, 'VALIDATION_ERROR'],
  ['a name of 10 kB', { name: 'a'.repeat(10_000) }, 400, 'VALIDATION_ERROR'],
  ['__proto__ as a name', { name: '__proto__' }, 400, 'VALIDATION_ERROR'],
  ['neither url nor document', { document: undefined }, 400, 'VALIDATION_ERROR'],
  ['url and document', { url: 'https://example.com' }, 400, 'VALIDATION_ERROR'],
  ['a selection without operations', { select: { operations: ['x'] } }, 400, 'NOTHING_TO_IMPORT'],
  ['text that is no document', { document: 'format: [' }, 400, 'DOCUMENT_INVALID'],
  ['an unknown key', { document: 'format: 1\ncolour: red' }, 400, 'DOCUMENT_INVALID'],
  ['300 levels of nesting', { document: `${'['.repeat(300)}${']'.repeat(300)}` }, 400, 'DOCUMENT_TOO_COMPLEX'],
  ['a private base URL', { baseUrl: 'http://169.254.169.254/' }, 400, 'ADDRESS_NOT_ALLOWED'],
  ['a schedule for an uploaded document', { refreshEverySeconds: 60 }, 400, 'VALIDATION_ERROR'],
  ['an invalid header', { headers: { 'a b': 'c' } }, 400, 'VALIDATION_ERROR'],
  ['a header that the request makes itself', { headers: { Host: 'c' } }, 400, 'VALIDATION_ERROR'],
  ['an invalid auth method', { auth: [{ key: 'x' }] }, 400, 'VALIDATION_ERROR'],
])('%s is refused', async (_, change, status, code) => {
  const body = { kind: 'declarative', name: 'refused', document: tasksAt(bed.thirdParty.url), ...change };
  expect((await bed.api.post(`${I}/import`, body)).body).toMatchObject({ code });
  expect((await bed.api.post(`${I}/import`, body)).status).toBe(status);
});

test.each(['openapi', 'mcp', 'declarative'])('a base URL of %s must be absolute', async (kind) => {
  const source = kind === 'mcp' ? { url: bed.thirdParty.url } : { document: kind === 'openapi' ? OPENAPI : tasksAt(bed.thirdParty.url) };
  for (const baseUrl of ['/v1', 'nonsense', '', '//api.example.com', 'localhost:8080', 'https://']) {
    const { status, body } = await bed.api.post(`${I}/import`, { kind, name: 'nowhere', baseUrl, ...source });
    expect([baseUrl, status, body.code]).toEqual([baseUrl, 400, 'SERVER_REQUIRED']);
  }
});

const OPENAPI = { openapi: '3.1.0', servers: [{ url: 'https://api.example' }], paths: { '/tasks': { get: { responses: {} } } } };

const KEY = { key: 'key', type: 'SECRET_TEXT', displayName: 'Key', description: 'A key', authenticate: 'bearer' };
const site = (schema: object) => ({
  ...{ ...KEY, type: 'CUSTOM_AUTH', authenticate: { header: 'x-key' } },
  props: { type: 'object', properties: { site: schema }, required: ['site'] },
});
const OPEN = site({ type: 'string', description: 'Site', public: true });

test.each<[string, object, object]>([
  ['no account', { auth: null }, {}],
  ['an account without props', { auth: [KEY] }, {}],
  ['a secret prop', { auth: [site({ type: 'string', description: 'Site' })] }, {}],
  ['the secret of the account', { auth: [KEY], baseUrl: 'https://api.example/bot{account.secretText}' }, {}],
  ['a base URL from the caller', { auth: [OPEN] }, { baseUrl: 'https://{account.secretText}.example' }],
  ['auth methods from the caller', { auth: [OPEN] }, { auth: [KEY] }],
])('the base URL may contain only public props of the account: %s', async (_, parts, said) => {
  const document = tasksAt('https://{account.site}.example', parts);
  const { status, body } = await bed.api.post(`${I}/import`, { kind: 'declarative', name: 'addressed', document, ...said });
  expect([status, body.code]).toEqual([400, 'DOCUMENT_INVALID']);
  const fine = tasksAt('https://{account.site}.example', { auth: [OPEN] });
  await bed.api.must(200).post(`${I}/import`, { kind: 'declarative', name: 'addressed', document: fine, preview: true });
});

test('an error in a document names its line', async () => {
  const document = 'format: 1\ndisplayName: Tasks\ncolour: red\n';
  const { details } = (await bed.api.post(`${I}/import`, { kind: 'declarative', name: 'lines', document })).body;
  expect(details.issues).toContainEqual(expect.objectContaining({ path: '/colour', line: 3, column: 1 }));
});

test.each([
  ['a status', { status: 404 }, { code: 'FETCH_FAILED', details: { reason: 'status', status: 404 } }],
  ['33 MiB of text', { status: 200, body: 'x'.repeat(33 * 1024 * 1024) }, { code: 'DOCUMENT_TOO_LARGE' }],
  ['text that is no document', { status: 200, body: '{}' }, { code: 'DOCUMENT_INVALID' }],
])('a URL that answers %s is refused', async (_, answer, expected) => {
  bed.thirdParty.answerWith(() => answer);
  const failed = await bed.api.post(`${I}/import`, { kind: 'declarative', name: 'fetched', url: bed.thirdParty.url });
  bed.thirdParty.answerWith(() => ({ status: 200, body: '{"id":"t1","title":"First"}' }));
  expect(failed.body).toMatchObject(expected);
});

test.each([
  ['http://127.0.0.1:1/doc', { code: 'FETCH_FAILED', details: { reason: 'connection' } }],
  ['http://nowhere.invalid/doc', { code: 'FETCH_FAILED', details: { reason: 'dns' } }],
  ['http://10.0.0.1/doc', { code: 'ADDRESS_NOT_ALLOWED' }],
  ['ftp://example.com/doc', { code: 'ADDRESS_NOT_ALLOWED' }],
])('a document at %s is refused with the reason', async (url, expected) => {
  expect((await bed.api.post(`${I}/import`, { kind: 'declarative', name: 'fetched', url })).body).toMatchObject(expected);
});

test('documents above 32 MiB and bodies above 48 MiB are refused', async () => {
  const padded = (megabytes: number) => ({ ...tasksAt(bed.thirdParty.url), description: 'ok', setup: 'x'.repeat(megabytes * 1024 * 1024) });
  const send = (document: unknown) => bed.api.post(`${I}/import`, { kind: 'declarative', name: 'large', document });
  const answers = await Promise.all([send(padded(20)), send(padded(33)), send(padded(49))]);
  // The error about the limit of a text shows that the document was read.
  expect(answers.map(({ body }) => body.code)).toEqual(['DOCUMENT_INVALID', 'DOCUMENT_TOO_LARGE', 'PAYLOAD_TOO_LARGE']);
});

test('a body that is too large even without its document is refused; the error names the limit', async () => {
  const { body } = await bed.api.post(`${I}/import`, { kind: 'declarative', name: 'x'.repeat(BODY_MAX_BYTES), document: 'x' });
  expect(body).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', error: `The body without document is larger than ${BODY_MAX_BYTES} bytes.` });
});

test('a name is unique in its organization, but not across organizations', async () => {
  await importTasks(bed, 'same', tasksAt(bed.thirdParty.url));
  const body = { kind: 'declarative', name: 'same', document: tasksAt(bed.thirdParty.url, { displayName: 'Theirs' }) };
  expect((await bed.api.post(`${I}/import`, body)).body.code).toBe('DUPLICATE');
  const other = await newOrg(bed.gateway.config.databaseUrl!, 'Other');
  const theirs = checkedCaller(bed.apiUrl, other.plainKey);
  expect((await theirs.get(`${I}/same`)).status).toBe(404);
  expect((await theirs.patch(`${I}/same`, { displayName: 'Mine now' })).status).toBe(404);
  expect((await theirs.delete(`${I}/same`)).status).toBe(404);
  await theirs.must(201).post(`${I}/import`, body);
  expect((await theirs.must(200).get(`${I}/same`)).integration.displayName).toBe('Theirs');
  expect((await bed.api.must(200).get(`${I}/same`)).integration.displayName).toBe('Tasks');
  expect((await checkedCaller(bed.apiUrl).get(`${I}/same`)).body.code).toBe('INTEGRATION_NOT_FOUND');
});

test('with more than 200 actions, an answer has schemas only for requested actions', async () => {
  const actions = Object.fromEntries(Array.from({ length: 205 }, (_, index) => [`get_task_${index}`, GET_TASK]));
  const { integration } = await importTasks(bed, 'many', tasksAt(bed.thirdParty.url, { actions }));
  expect(Object.keys(integration.actions)).toHaveLength(205);
  expect(integration.actions.get_task_7.inputSchema).toBeUndefined();
  const named = await bed.api.must(200).get(`${I}/many?action=get_task_7&action=get_task_9`);
  expect(Object.keys(named.integration.actions)).toEqual(['get_task_7', 'get_task_9']);
  expect(named.integration.actions.get_task_7.inputSchema.required).toEqual(['id']);
  expect((await bed.api.get(`${I}/many?action=constructor`)).body.code).toBe('ACTION_NOT_FOUND');
  const one = await bed.api.must(200).get(`${I}/hash-encode?action=hash`);
  expect(one.integration).toMatchObject({ custom: false, actions: { hash: { inputSchema: {} } } });
});

test("the quota counts the organization's integrations", async () => {
  const { total } = await bed.api.must(200).get(`${I}?custom=true`);
  for (let count = total; count < 30; count += 1) await importTasks(bed, `filler-${count}`, tasksAt(bed.thirdParty.url));
  const body = { kind: 'declarative', name: 'one-more', document: tasksAt(bed.thirdParty.url) };
  expect((await bed.api.post(`${I}/import`, body)).body).toMatchObject({ code: 'QUOTA_EXCEEDED', details: { quota: 30 } });
});
