import { existsSync } from 'node:fs';
import { keepsState } from '../../../domain/workspace-integration.ts';
import { openCatalog } from '../../../integrations/catalog.ts';
import { openWebSite, page } from '../../integrations/web-site.ts';
import { aTenant, type Tenant } from '../../support/tenant.ts';

type Call = [action: string, input: object, output: object];
type Site = Awaited<ReturnType<typeof openWebSite>>;

const CALLS: Record<string, (base: string) => Call[]> = {
  'advanced-code': () => [['run_code', { language: 'javascript', code: 'console.log(6 * 7)' }, { stdout: '42\n' }]],
  'agent-memory': () => {
    const relation = { from: 'Ada', to: 'Engine', type: 'programs' };
    return [
      [
        'create_entities',
        {
          entities: [
            { name: 'Ada', type: 'person' },
            { name: 'Engine', type: 'thing' },
          ],
        },
        { entities: [{ name: 'Ada' }, { name: 'Engine' }] },
      ],
      [
        'add_observations',
        { observations: [{ entityName: 'Ada', contents: ['likes tea'] }] },
        { observations: [{ added: ['likes tea'] }] },
      ],
      ['create_relations', { relations: [relation] }, { relations: [{ ...relation, created: true }] }],
      ['search', { query: 'tea' }, { entities: [{ name: 'Ada' }] }],
      ['read_graph', {}, { relations: [relation] }],
      ['get_entity', { name: 'Ada' }, { relations: [relation] }],
      ['delete_observations', { entityName: 'Ada', observations: ['likes tea'] }, { deleted: ['likes tea'] }],
      ['delete_relations', { relations: [relation] }, { deleted: [relation] }],
      ['delete_entities', { names: ['Ada'] }, { deleted: ['Ada'] }],
    ];
  },
  'agent-scratchpad': () => [
    ['write_page', { pageName: 'plan', content: 'first' }, { pageName: 'plan' }],
    ['append_page', { pageName: 'plan', content: ' second' }, { pageName: 'plan' }],
    ['read_page', { pageName: 'plan' }, { content: 'first second' }],
    ['list_pages', {}, { total: 1 }],
    ['search_pages', { query: 'second' }, { pages: [{ pageName: 'plan' }] }],
    ['delete_page', { pageName: 'plan' }, { deleted: true }],
    ['clear_all', {}, { deletedPages: 0 }],
  ],
  code: () => [['run_code', { code: 'return inputs.a + 1;', inputs: { a: 1 } }, { result: 2 }]],
  'data-transformer': () => [
    ['transform_json', { input: { a: { b: 1 } }, mapping: { c: '$.a.b' } }, { result: { c: 1 } }],
    ['merge_objects', { objects: [{ a: 1 }, { b: 2 }] }, { result: { a: 1, b: 2 } }],
    ['filter_array', { array: [{ a: 1 }, { a: 2 }], conditions: { a: 2 } }, { items: [{ a: 2 }] }],
    ['batch_array', { array: [1, 2, 3], batchSize: 2 }, { batches: [[1, 2], [3]] }],
  ],
  datetime: () => [
    ['parse_date', { dateString: '2026-03-01' }, { iso: expect.stringContaining('2026-03-01') }],
    ['format_date', { date: '2026-03-01T10:00:00Z', format: 'iso' }, { formatted: expect.stringContaining('2026-03-01') }],
    ['date_math', { date: '2026-02-28', operation: 'add', amount: 1, unit: 'days' }, { iso: expect.stringContaining('2026-03-01') }],
    ['is_business_hours', { date: '2026-03-01T10:00:00Z', timezone: 'UTC' }, { isBusinessHours: false }],
  ],
  graphql: (base) => [['send_request', { url: `${base}/graphql`, query: '{ me }' }, { data: { me: 'ada' } }]],
  'hash-encode': () => [
    ['hash', { text: 'abc' }, { digest: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad' }],
    ['encode', { text: 'abc' }, { encoded: 'YWJj' }],
    ['decode', { encoded: 'YWJj' }, { text: 'abc' }],
    ['generate_uuid', { count: 2 }, { uuids: [expect.any(String), expect.any(String)] }],
  ],
  http: (base) => [['send_request', { method: 'GET', url: `${base}/page` }, { status: 200 }]],
  'kv-store': () => [
    ['put', { key: 'k', value: 1 }, { key: 'k' }],
    ['get', { key: 'k' }, { value: 1 }],
    ['add_to_list', { key: 'l', value: 'x' }, { length: 1 }],
    ['remove_from_list', { key: 'l', value: 'x' }, { removed: 1 }],
    ['delete', { key: 'k' }, { deleted: true }],
  ],
  'sequential-thinking': () => [
    ['add_thought', { chainId: 'c', content: 'one' }, { thoughtId: 1 }],
    ['branch_thought', { chainId: 'c', thoughtId: 1, branchName: 'other', content: 'two' }, { branchName: 'other' }],
    ['revise_thought', { chainId: 'c', thoughtId: 1, content: 'uno' }, { revision: 1 }],
    ['get_chain', { chainId: 'c' }, { thoughts: [{ content: 'uno' }] }],
    ['summarize_chain', { chainId: 'c' }, { revisedThoughtIds: [1] }],
  ],
  storage: () => [
    ['write_file', { path: 'a.txt', content: 'hello' }, { sizeBytes: 5 }],
    ['read_file', { path: 'a.txt' }, { content: 'hello' }],
    ['list_files', {}, { files: [{ path: 'a.txt' }] }],
    ['get_download_url', { path: 'a.txt' }, { url: expect.stringMatching(/^https?:/) }],
    ['delete_file', { path: 'a.txt' }, { deleted: true }],
  ],
  'web-reader': (base) => [
    ['fetch_as_markdown', { url: `${base}/page` }, { content: expect.stringContaining('# Title') }],
    ['fetch_as_text', { url: `${base}/page` }, { content: expect.stringContaining('Title') }],
    ['extract_links', { url: `${base}/page` }, { links: [{ url: `${base}/next` }] }],
    ['extract_structured_data', { url: `${base}/page` }, { title: 'T' }],
    ['fetch_multiple', { urls: [`${base}/page`] }, { results: [{ ok: true }] }],
  ],
};

let tenant: Tenant;
let site: Site;
beforeAll(async () => {
  [tenant, site] = await Promise.all([
    aTenant(),
    openWebSite({
      '/page': page('<html><head><title>T</title></head><body><main><h1>Title</h1><a href="/next">next</a></main></body></html>'),
      '/graphql': page('{"data":{"me":"ada"}}', 'application/json'),
    }),
  ]);
});
afterAll(() => site.close());

test('CALLS covers every built-in action, and every built-in integration has a verification', () => {
  const builtIns = openCatalog()
    .list()
    .filter(({ auth }) => auth === null);
  const missing = builtIns.flatMap(({ name, actions }) => {
    const called = CALLS[name]?.('').map(([action]) => action) ?? [];
    return [...actions.keys()].filter((action) => !called.includes(action)).map((action) => `${name}.${action}`);
  });
  expect(missing).toEqual([]);
  const { testedAgainst, sources } = builtIns[0]!.verification!;
  expect(testedAgainst).toBe('live');
  expect(sources.map((path) => existsSync(path))).toEqual([true]);
  expect(builtIns.filter(({ verification }) => !verification)).toEqual([]);
});

test.each(Object.entries(CALLS))('every action of %s returns an output', async (integrationName, callsAt) => {
  const settings = { ...(keepsState(integrationName) && { settings: { persistence: { scope: 'workspace' } } }) };
  await tenant.api.must(201).post(`/api/v1/workspaces/${tenant.workspaceId}/integrations`, { integrationName, ...settings });
  for (const [actionName, input, output] of callsAt(site.base)) {
    const call = { workspaceId: tenant.workspaceId, integrationName, actionName, input };
    const { body } = await tenant.api.post('/api/v1/actions/execute', call);
    expect({ actionName, ...body }).toMatchObject({ actionName, success: true, output });
  }
});
