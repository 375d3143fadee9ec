import { type ApiBed, openApiBed } from '../api-bed.ts';

let bed: ApiBed;
beforeAll(async () => {
  bed = await openApiBed();
});
afterAll(() => bed.close());

let workspaces = 0;

async function aWorkspaceUnder(rules: object) {
  const slug = `form-${++workspaces}`;
  const { workspace } = await bed.api.must(201).post('/api/v1/workspaces', { name: slug, slug });
  const fields = { name: 'Stops', workspaceId: workspace.id, decision: 'block', rules };
  await bed.api.must(200).post('/api/v1/approval-policies', fields);
  return async (integrationName: string, input: object, actionName = 'send_request') => {
    const call = { workspaceId: workspace.id, integrationName, actionName, input };
    return (await bed.api.post('/api/v1/actions/execute', call)).body.code;
  };
}

const BLOCKED = 'APPROVAL_POLICY_BLOCKED';
const url = 'https://nowhere.invalid/';
const mutation = encodeURIComponent('mutation { pay(amount: 5) { id } }');

test.each<[string, string, object, ...string[]]>([
  ['a GET that overrides its method', 'http', { method: 'GET', url, headers: { 'X-HTTP-Method-Override': 'DELETE' } }],
  ['a GET that overrides its method, written with underscores', 'http', { method: 'GET', url, headers: { x_http_method_override: 'put' } }],
  ['a HEAD that overrides its method', 'http', { method: 'HEAD', url, headers: { 'x-method-override': ' Post' } }],
  ['an override in the query', 'http', { method: 'GET', url: `${url}?_method=DELETE` }],
  ['an override among parameters', 'http', { method: 'GET', url, queryParams: { _METHOD: ['delete'] } }],
  ['a GET with a body', 'http', { method: 'GET', url, body: { query: 'mutation { pay }' } }],
  ['a mutation in a URL', 'http', { method: 'GET', url: `${url}graphql?query=${mutation}` }],
  ['a mutation among parameters', 'http', { method: 'GET', url, queryParams: { query: 'mutation { pay(amount: 5) { id } }' } }],
  [
    'a mutation selected by operationName',
    'http',
    { method: 'GET', url, queryParams: { query: '{a} mutation B {b}', operationName: 'B' } },
  ],
  ['a stored operation', 'http', { method: 'GET', url: `${url}graphql`, queryParams: { extensions: '{"persistedQuery":{}}' } }],
  ['a mutation in the URL of a GraphQL call', 'graphql', { url: `${url}?query=${mutation}`, query: '{ a }' }],
  ['a mutation behind a byte order mark', 'graphql', { url, query: '\ufeff # x\n mutation { a }' }],
  ['a subscription', 'graphql', { url, query: 'subscription { a }' }],
  ['a mutation in the URL of a page', 'web-reader', { url: `${url}graphql?query=${mutation}` }, 'fetch_as_text'],
])('%s is not treated as a read', async (_, integrationName, input, ...actionName) => {
  const execute = await aWorkspaceUnder({ actionCategories: ['write', 'delete'] });
  expect(await execute(integrationName, input, ...actionName)).toBe(BLOCKED);
  expect(await execute('http', { method: 'GET', url })).toBe('ACTION_FAILED');
});

test.each([
  'a@evil.com',
  'a@evil.com.',
  'ａ＠ｅｖｉｌ．ｃｏｍ',
  'a@evil.com\u200b\u2060',
  'a@EVIL。com',
  'x@ok.com, "A" <a@ev\u00adil.com>',
])('a denied recipient is recognized in the spelling %j', async (to) => {
  const execute = await aWorkspaceUnder({ recipientDenylist: ['a@evil.com'] });
  expect(await execute('http', { method: 'POST', url, body: { message: { to } } })).toBe(BLOCKED);
});

test.each([
  'https://evil.com./',
  'https://ｅｖｉｌ．ｃｏｍ',
  'https://ev\u200bil.com',
  'https:\\\\evil.com',
  '//evil.com/x',
  'https%3A%2F%2Fevil.com',
])('a denied domain is recognized in the spelling %j', async (text) => {
  const execute = await aWorkspaceUnder({ domainDenylist: ['evil.com'] });
  expect(await execute('http', { method: 'POST', url, body: text })).toBe(BLOCKED);
});

test.each(['/Secret/a', 'ｓecret/a', 'x/%2e%2e/secret/a', 'secret\u200b/a', 'x\\..\\secret\\a'])(
  'a path under a prefix is recognized in the spelling %j',
  async (path) => {
    const execute = await aWorkspaceUnder({ storagePathPrefixes: ['/secret'] });
    expect(await execute('http', { method: 'POST', url, body: { file: { path } } })).toBe(BLOCKED);
  },
);

test('a call with an input too large to check needs approval, and the reasons say so', async () => {
  const { workspace } = await bed.api.must(201).post('/api/v1/workspaces', { name: 'large', slug: 'large' });
  for (let index = 0; index < 10; index += 1)
    await bed.api
      .must(200)
      .post('/api/v1/approval-policies', { name: `P${index}`, workspaceId: workspace.id, rules: { domainDenylist: ['evil.example'] } });
  const call = {
    workspaceId: workspace.id,
    integrationName: 'http',
    actionName: 'send_request',
    input: { method: 'POST', url, body: '@a.b'.repeat(240_000) },
  };
  const { approval } = await bed.api.must(202).post('/api/v1/actions/execute', call);
  const { riskReasons } = (await bed.api.must(200).get(`/api/v1/approvals/${approval.id}`)).approval;
  expect(riskReasons).toEqual(['domainDenylist: the input is too large to be checked whole, so the policy counts as matched']);
});

test.each<[string, object]>([
  ['patterns in one list', { recipientDenylist: Array(501).fill('a@b.c') }],
  ['patterns in several lists', { recipientDenylist: Array(300).fill('a@b.c'), domainAllowlist: Array(201).fill('b.c') }],
  ['thresholds and prefixes', { amountThresholds: Array(400).fill({ path: 'a', gt: 1 }), storagePathPrefixes: Array(101).fill('/a') }],
])('rules with more than 500 entries in total are refused: %s', async (_, rules) => {
  const answer = await bed.api.must(400).post('/api/v1/approval-policies', { name: 'Too many', rules });
  expect(answer.code).toBe('VALIDATION_ERROR');
  expect(answer.details.issues[0].path).toMatch(/^rules/);
  expect((await bed.api.post('/api/v1/approval-policies/test', { policy: { rules }, context: {} })).status).toBe(400);
});

test.each(['actionNames', 'integrationNames', 'integrationAliases', 'sources', 'connectionStrategies'])(
  'the number of entries in a filter is limited: %s',
  async (field) => {
    const value = { sources: 'rest', connectionStrategies: 'fixed' }[field] ?? 'a';
    expect((await bed.api.must(400).post('/api/v1/approval-policies', { name: 'Too many', [field]: Array(501).fill(value) })).code).toBe(
      'VALIDATION_ERROR',
    );
  },
);
