import { CREATE_TASK, GET_TASK, importTasks, type OwnBed, openOwnBed, tasksAt } from '../../integrations/own/own-bed.ts';
import { refreshWith, theOnly } from '../../integrations/own/read-changes.ts';
import { type AppMember, aMember } from './app-bed.ts';

let bed: OwnBed;
let admin: AppMember;
beforeAll(async () => {
  bed = await openOwnBed();
  admin = await aMember(bed, 'admin', { name: 'Ada' });
});
afterAll(() => bed.close());

const FORM = { kind: 'openapi', refreshEverySeconds: '0', onChange: 'hold' };
const imported = (fields: Record<string, string>, path = '') => admin.post(`/integrations/import${path}`, { ...FORM, ...fields });
const get = (name: string) => bed.api.get(`/api/v1/integrations/${name}`);

const PETS = {
  openapi: '3.1.0',
  info: { title: 'Pets <script>', version: '7' },
  servers: [{ url: 'https://api.example.com' }],
  paths: {
    '/pets': { get: { operationId: 'listPets', tags: ['pets'], responses: { 200: { description: 'ok' } } } },
    '/owners': { get: { operationId: 'listOwners', tags: ['owners'], responses: { 200: { description: 'ok' } } } },
  },
};

test('a pasted document is previewed without being stored; the import lists omitted operations', async () => {
  const fields = { name: 'pets', document: JSON.stringify(PETS), tags: 'pets, nothing' };
  const preview = await imported(fields, '/preview');
  expect([preview.status, preview.text]).toEqual([
    200,
    expect.stringMatching(/What would be imported 1 of 2 became actions.*Nothing is stored/),
  ]);
  expect([preview.html.includes('listOwners'), (await get('pets')).status]).toEqual([true, 404]);

  expect((await imported(fields)).location).toMatch(/\/app\/integrations\/pets$/);
  const { text, html } = await admin.get('/integrations/pets');
  expect(text).toMatch(/1 actions are imported\. 1 operations were left out.*Pets <script>.*OpenAPI document.*GET \/owners Not selected/);
  expect(html).not.toContain('<script>x');
  expect((await admin.get('/integrations?q=pets')).text).toMatch(/Pets.*Yours/);
});

test('an admin can import a document of a megabyte, but not send it to another form; a viewer cannot send it', async () => {
  const document = JSON.stringify({ ...PETS, info: { title: 'Large', version: '1', description: 'long & wide '.repeat(90_000) } });
  expect((await imported({ name: 'large', document })).status).toBe(303);
  const viewer = await aMember(bed, 'viewer');
  expect((await viewer.post('/integrations/import', { ...FORM, name: 'large-2', document })).status).toBe(413);
  expect((await admin.post('/keys/new', { name: 'x', document })).status).toBe(413);
});

test('a document is fetched from its URL with a token, which is not shown afterwards', async () => {
  bed.thirdParty.answerWith(({ headers }) =>
    headers.authorization === 'Bearer hush-hush' ? { status: 200, body: JSON.stringify(PETS) } : { status: 401, body: 'no' },
  );
  const url = `${bed.thirdParty.url}/openapi.json`;
  const refused = await imported({ name: 'fetched', url });
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('Nothing was saved.')]);
  expect((await imported({ name: 'fetched', url, token: 'hush-hush' })).status).toBe(303);
  expect((await admin.get('/integrations/fetched')).html).not.toContain('hush-hush');
  expect((await imported({ name: 'Not a name', url, token: 'hush-hush' })).html).not.toContain('hush-hush');
});

test.each([
  ['neither address nor document', {}, 'Kind needs an address or a document'],
  ['both address and document', { url: 'https://example.com', document: '{}' }, 'Document is not needed with an address'],
  ['a document for an MCP server', { kind: 'mcp', document: '{}' }, 'Document is not for an MCP server'],
  ['an invalid name', { name: 'No Name', document: '{}' }, 'Name must be 2 to 63'],
  ['the name of a built-in integration', { name: 'github', document: JSON.stringify(PETS) }, 'Name is already the name of an integration'],
  ['an invalid document', { document: 'hello: [' }, 'Nothing was saved'],
  ['a forbidden address', { url: 'http://169.254.169.254/latest' }, 'Nothing was saved'],
])('with %s, nothing is imported and the form keeps its values', async (_, fields, problem) => {
  const { status, text, html } = await imported({ name: 'wrong', displayName: 'Kept', ...fields });
  expect([status, text]).toEqual([400, expect.stringMatching(new RegExp(problem))]);
  expect(html).toContain('value="Kept"');
  expect((await get('wrong')).status).toBe(404);
});

test('operations can be selected and excluded line by line; accounts can be described by hand', async () => {
  const written = JSON.stringify([{ key: 'token', type: 'SECRET_TEXT', displayName: 'Our token', authenticate: 'bearer' }]);
  const fields = {
    ...{ name: 'chosen', document: JSON.stringify(PETS), 'select.operations': 'GET /pets\nlistOwners\n' },
    ...{ 'select.exclude': ' tag owners \n\nmethod DELETE', accounts: 'written', auth: written },
  };
  const preview = await imported(fields, '/preview');
  expect([preview.status, preview.text]).toEqual([200, expect.stringMatching(/1 of 2 became actions.*Nothing is stored/)]);
  expect(preview.html).toContain(' tag owners \n\nmethod DELETE</textarea>');
  expect((await imported(fields)).status).toBe(303);
  const { integration } = (await get('chosen')).body;
  expect(Object.keys(integration.actions)).toEqual(['list_pets']);
  expect(integration.authOptions).toMatchObject([{ key: 'token', type: 'SECRET_TEXT', displayName: 'Our token' }]);
  const stored = await bed.gateway.db('custom_integrations').where({ name: 'chosen' }).first();
  expect(stored.settings.select).toEqual({ operations: ['GET /pets', 'listOwners'], exclude: { tags: ['owners'], methods: ['DELETE'] } });

  expect((await imported({ name: 'open', document: JSON.stringify(PETS), accounts: 'none' })).status).toBe(303);
  expect((await get('open')).body.integration.auth).toBeNull();
});

test('headers are sent to the URL and are not shown afterwards', async () => {
  const seen: unknown[] = [];
  bed.thirdParty.answerWith(({ headers }) => {
    seen.push([headers['x-api-key'], headers['x-two']]);
    return { status: 200, body: JSON.stringify(PETS) };
  });
  const fields = { name: 'headed', url: `${bed.thirdParty.url}/openapi.json`, headers: 'X-Api-Key: hush: hush\n\n X-Two:2 ' };
  const preview = await imported(fields, '/preview');
  expect([preview.status, preview.html.includes('hush')]).toEqual([200, false]);
  // The headers must be entered again, so the page opens their field.
  expect(preview.html).toContain('<details class="more" open>');
  expect((await imported({ ...fields, headers: '' }, '/preview')).html).toContain('<details class="more">');
  expect((await imported(fields)).status).toBe(303);
  expect(seen).toEqual([
    ['hush: hush', '2'],
    [undefined, undefined],
    ['hush: hush', '2'],
  ]);
  expect((await admin.get('/integrations/headed')).html).not.toContain('hush');
});

test.each([
  [
    'a line of an unknown kind',
    { 'select.exclude': 'tag a\nheader x' },
    'Leave out needs operation, tag, path, method, or tool .* in line 2',
  ],
  ['a line without a value', { 'select.exclude': 'tag' }, 'Leave out needs operation.* in line 1'],
  ['a header without a colon', { headers: 'zq-hush' }, 'Headers need a name, a colon and a value in line 1'],
  ['a header twice', { headers: 'X-A: zq-hush\nx-a: zq-hush' }, 'Headers have the same name twice, in line 2'],
  [
    'an invalid header name',
    { headers: 'X A: zq-hush', document: '', url: 'https://example.com/x' },
    'Headers have an invalid name in line 1',
  ],
  ['headers without an address', { headers: 'X-A: zq-hush' }, 'Headers are for an address only'],
  ['accounts that are not JSON', { accounts: 'written', auth: '[{' }, 'How accounts are connected \\(JSON\\) is not valid JSON'],
  ['accounts of an unknown type', { accounts: 'written', auth: '[{"key":"a","type":"MAGIC","displayName":"A"}]' }, 'JSON\\) at 0'],
  ['no accounts', { accounts: 'written' }, 'How accounts are connected \\(JSON\\) is missing'],
  ['unused accounts', { accounts: 'document', auth: '[]' }, 'Accounts must be .As written below.'],
  ['an operation that is too long', { 'select.operations': 'x'.repeat(501) }, 'Only these operations at 0'],
])('with %s, nothing is imported and the page says where the error is', async (_, fields, problem) => {
  const source = { name: 'wrong', document: JSON.stringify(PETS), displayName: 'Kept' };
  const { status, text, html } = await imported({ ...source, ...fields });
  expect([status, text]).toEqual([400, expect.stringMatching(new RegExp(problem))]);
  expect(html).toContain('value="Kept"');
  expect(html).toContain('<details class="more" open>');
  expect(html).not.toContain('zq-hush');
  expect((await get('wrong')).status).toBe(404);
});

test('a held-back change is accepted only with the content that was shown', async () => {
  const { url } = bed.thirdParty;
  const described = (description: string) =>
    tasksAt(url, { actions: { get_task: { ...GET_TASK, description }, create_task: CREATE_TASK } });
  await importTasks(bed, 'tasks', described('Old words'));
  const long = `New words ${'<b>w</b>'.repeat(200)} the end`;
  const change = theOnly(await refreshWith(bed, 'tasks', described(long)));
  expect((await admin.get('/integrations/tasks')).text).toContain('1 change waits');
  expect((await admin.get('/integrations/tasks/changes')).text).toMatch(/Changed action get_task 1/);

  const shown = await admin.get(`/integrations/tasks/changes/${change.id}`);
  expect(shown.text).toMatch(/Changed action get_task.*description.*Before Old words.*After New words .* the end/);
  expect(shown.html).not.toContain('<b>w');
  const digest = /name="digest" value="([0-9a-f]{64})"/.exec(shown.html)![1]!;
  const decide = (fields: Record<string, string>) => admin.post(`/integrations/tasks/changes/${change.id}/decide`, fields);
  for (const other of ['', '0'.repeat(64)]) {
    const refused = await decide({ decision: 'accept', digest: other, reason: 'kept' });
    expect([refused.status, refused.text]).toEqual([409, expect.stringMatching(/Nothing changed\..*kept/)]);
  }
  expect((await decide({ decision: 'accept', digest, reason: 'It is <i>right</i>' })).location).toMatch(/\/tasks\/changes$/);
  expect((await get('tasks')).body.integration).toMatchObject({
    version: 2,
    pendingChanges: 0,
    actions: { get_task: { description: long } },
  });
  expect((await decide({ decision: 'reject' })).text).toContain('Somebody else decided first.');
  expect((await admin.get(`/integrations/tasks/changes/${change.id}`)).text).toMatch(/Accepted.*by Ada\. "It is <i>right/);
});

test('a change that a refresh replaced names no decider', async () => {
  const described = (description: string) =>
    tasksAt(bed.thirdParty.url, { actions: { get_task: { ...GET_TASK, description }, create_task: CREATE_TASK } });
  await importTasks(bed, 'replaced', described('Old words'));
  const { id } = theOnly(await refreshWith(bed, 'replaced', described('New words')));
  await refreshWith(bed, 'replaced', described('Newer words'));
  const { text } = await admin.get(`/integrations/replaced/changes/${id}`);
  expect([text.includes('Replaced'), text.includes('Decided')]).toEqual([true, false]);
});

test('a change with many differences can be read page by page and rejected', async () => {
  const inputs = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`input_${n}`, { type: 'string', description: `Input ${n}` }]));
  const { url } = bed.thirdParty;
  await importTasks(bed, 'many', tasksAt(url));
  const more = {
    ...GET_TASK,
    input: { properties: { ...GET_TASK.input.properties, ...inputs }, required: ['id'] },
    request: { path: '/tasks/{id}', query: true },
  };
  const change = theOnly(await refreshWith(bed, 'many', tasksAt(url, { actions: { get_task: more, create_task: CREATE_TASK } })));
  let path: string | undefined = `/integrations/many/changes/${change.id}`;
  const seen: string[] = [];
  while (path) {
    const { html }: { html: string } = await admin.get(path);
    seen.push(...[...html.matchAll(/<h3[^>]*><code>(.*?)<\/code>/g)].map(([, name]) => name!));
    path = /href="[^"]*\/app([^"]+)">Next page/.exec(html)?.[1];
  }
  expect([seen.length, new Set(seen).size]).toEqual([change.fieldCount, change.fieldCount]);
  expect((await admin.post(`/integrations/many/changes/${change.id}/decide`, { decision: 'reject' })).status).toBe(303);
  expect((await admin.get('/integrations/many/changes?status=rejected')).text).toContain('Rejected');
});
