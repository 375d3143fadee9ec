import { publicDocument } from '../integrations/custom/openapi/import.ts';
import { sampled } from '../support/extent.ts';
import { openProbedApi, type ProbedApi } from '../support/loop-probe.ts';
import { times } from './times.ts';

let probed: ProbedApi;
beforeAll(async () => {
  probed = await openProbedApi();
});
afterAll(() => probed.close());

async function execute(integrationName: string, actionName: string, input: unknown) {
  return looked(await probed.api.post('/api/v1/actions/execute', { workspaceId: probed.workspaceId, integrationName, actionName, input }));
}

/** Expects that the body was not too large. Otherwise the measurement would prove nothing. */
function looked(answer: { status: number }): void {
  expect(answer.status).not.toBe(413);
}

const post = (body: unknown) => execute('http', 'send_request', { method: 'POST', url: 'https://nowhere.invalid/', body });

const object = (count: number, name: (index: number) => string, value: unknown = 1) =>
  Object.fromEntries(times(count, (index) => [name(index), value]));
const nested = (depth: number): unknown => times(depth, () => 0).reduce<unknown>((inner) => ({ a: inner }), 1);

const LARGE: [string, unknown][] = [
  ['addresses', '@a.b'.repeat(245_000)],
  ['addresses of many hosts', times(50_000, (index) => `@${index}.cc `).join('')],
  ['URLs', 'https://a.b/'.repeat(80_000)],
  ['slashes', '//'.repeat(480_000)],
  ['combining marks', `a${'\u0345\u0301\u0316\u0327'.repeat(60_000)}`],
  ['hidden characters', '\u200b'.repeat(320_000)],
  ['ligatures that grow', '\ufdfa'.repeat(320_000)],
  ['escapes', '%2541'.repeat(190_000)],
  ['secrets', 'password=abc '.repeat(75_000)],
  ['base64', 'QUJD'.repeat(245_000)],
  ['open brackets', '[{'.repeat(480_000)],
  ['card numbers', '4111 1111 1111 1111 '.repeat(48_000)],
  ['recipients', { to: times(40_000, (index) => `a${index}@b.cc`).join() }],
  ['a list of recipients', { to: times(40_000, (index) => `a${index}@b.cc`) }],
  ['paths', { path: '../a/'.repeat(190_000) }],
  ['a path of one long name', { path: `.${'a'.repeat(30_000)}!` }],
  ['paths of one long name', times(100, () => ({ path: `.${'a'.repeat(8000)}!` }))],
  ['recipients in one text', { to: 'a@b.c,'.repeat(20_000) }],
  ['parts of a recipient', { to: 'a;'.repeat(60_000) }],
  ['escapes that are not UTF-8', '%ffa'.repeat(240_000)],
  ['escapes of letters', '%6d%65'.repeat(160_000)],
  ['words that may override', 'method '.repeat(140_000)],
  ['objects in a list', times(24_000, () => ({ method: 1 }))],
  ['amounts', times(45_000, () => '1')],
  ['numbers', times(48_000, (index) => index)],
  ['empty lists', times(48_000, () => [])],
  ['deep objects', times(800, () => nested(55))],
  [
    'records',
    times(5000, (index) => ({ id: index, name: 'a b', email: `a${index}@b.cc`, url: 'https://x.y/z', password: 'abc', ok: true })),
  ],
  ['many fields', object(9900, (index) => `key${index}`)],
  ['fields with long names', object(9900, (index) => `${index} ${'password=abc '.repeat(6)}`)],
  ['objects of many fields', times(49, () => object(1000, (index) => `key${index}`))],
  ['more fields than a body may have', object(48_000, (index) => `key${index}`)],
  ['more values than a body may have', times(300_000, () => [])],
];

describe.each<[string, object[]]>([
  ['no policy', []],
  [
    'ten policies that inspect the whole input',
    times(10, () => ({
      decision: 'block',
      rules: {
        domainDenylist: ['evil.example'],
        recipientDenylist: ['*evil*@*.example'],
        amountThresholds: [{ path: 'body.*', gt: 1e9 }],
        storagePathPrefixes: ['/nowhere'],
      },
    })),
  ],
  ['a policy that requires approval', [{ decision: 'require_approval' }]],
])('a call under %s blocks no other request', (_, policies) => {
  const ids: string[] = [];
  beforeAll(async () => {
    for (const fields of policies)
      ids.push((await probed.api.must(200).post('/api/v1/approval-policies', { name: 'Probed', ...fields })).policy.id);
  });
  afterAll(async () => {
    for (const id of ids) await probed.api.must(200).delete(`/api/v1/approval-policies/${id}`);
  });

  test.each(sampled(LARGE, 5))('with a megabyte of %s', async (__, body) => {
    await probed.expectShort(() => post(body));
  });
});

test.each(sampled(LARGE, 5))('testing a policy with a megabyte of %s blocks no other request', async (_, body) => {
  const rules = {
    domainAllowlist: ['a.b'],
    storagePathPrefixes: ['/nowhere'],
    recipientAllowlist: ['*@b.cc'],
    amountThresholds: [{ path: 'body.*', gt: 1e9 }],
  };
  const input = { method: 'POST', url: 'https://nowhere.invalid/', body };
  const context = { workspaceId: probed.workspaceId, source: 'rest', integrationName: 'http', actionName: 'send_request', input };
  await probed.expectShort(async () => looked(await probed.api.post('/api/v1/approval-policies/test', { policy: { rules }, context })));
});

const ACTIONS: [string, string, string, unknown][] = [
  [
    'a path that reads the whole input a hundred times',
    'data-transformer',
    'transform_json',
    { input: times(800, () => nested(55)), mapping: object(100, (index) => `f${index}`, '$..[?@.a]') },
  ],
  [
    'a path whose matches multiply',
    'data-transformer',
    'transform_json',
    { input: times(40, () => 0).reduce<unknown>((inner) => [inner, 1], []), mapping: { x: '$..*..*..*..*' } },
  ],
  [
    'a pattern with catastrophic backtracking',
    'data-transformer',
    'transform_json',
    { input: ['a'.repeat(60)], mapping: { x: '$[?search(@, "(a+)+b")]' } },
  ],
  [
    'paths that are slow to parse',
    'data-transformer',
    'transform_json',
    { input: {}, mapping: object(100, (index) => `f${index}`, `$${'[?@.a]'.repeat(150)}`) },
  ],
  [
    'fifty conditions of twenty thousand items',
    'data-transformer',
    'filter_array',
    {
      array: times(20_000, (index) => ({ a: index })),
      conditions: Object.fromEntries(times(50, (index) => [`a${'.a'.repeat(index)}`, { $gte: 0 }])),
    },
  ],
  ['eight hundred deep objects', 'data-transformer', 'merge_objects', { objects: times(800, () => nested(55)), strategy: 'deep' }],
  ['a batch for each item', 'data-transformer', 'batch_array', { array: times(48_000, (index) => index), batchSize: 1 }],
  ['a megabyte to hash', 'hash-encode', 'hash', { text: 'x'.repeat(980_000), algorithm: 'sha512', encoding: 'hex' }],
  ['a megabyte to encode', 'hash-encode', 'encode', { text: 'x'.repeat(980_000), encoding: 'hex' }],
  ['a megabyte to decode', 'hash-encode', 'decode', { encoded: 'QUJD'.repeat(245_000), encoding: 'base64' }],
  ['a megabyte that is not a date', 'datetime', 'parse_date', { dateString: '1'.repeat(980_000) }],
  ...['query[', 'a&', '%ffa', '%25', '%2525ff', '_method['].map((text): [string, string, string, unknown] => [
    `ten addresses of ${text}`,
    'web-reader',
    'fetch_multiple',
    { urls: times(10, (index) => `https://nowhere.invalid/${index}?${text.repeat(Math.floor(15_000 / text.length))}`) },
  ]),
  ['nine thousand unknown fields', 'datetime', 'parse_date', object(9000, (index) => `key${index}`)],
];
test.each(sampled(ACTIONS, 6))('an action blocks no other request: %s', async (_, integrationName, actionName, input) => {
  await probed.expectShort(() => execute(integrationName, actionName, input));
});

const DOCUMENTS: [string, string][] = [
  ['one text of quotes', `"${'\\"'.repeat(5_000_000)}"`],
  ['one text of backslashes', `"${'\\\\'.repeat(5_000_000)}"`],
  ['one text of escapes', `"${'\\u0041'.repeat(1_500_000)}"`],
  ['many documents', `${'1,"document":'.repeat(70_000)}1`],
  ['many texts', `[${'"",'.repeat(3_000_000)}1]`],
];
test.each(sampled(DOCUMENTS, 2))('an import blocks no other request: %s', async (_, document) => {
  const body = `{"kind":"declarative","name":"large","document":${document}}`;
  await probed.expectShort(async () => looked(await probed.api.post('/api/v1/integrations/import', body)));
});

describe.each<[string, object]>([
  ['stripe', {}],
  ['github', {}],
  ['kubernetes', { baseUrl: 'https://cluster.example.com' }],
])('the large OpenAPI document of %s blocks no other request', (name, more) => {
  const given = { kind: 'openapi', name: 'large', document: publicDocument(name), ...more };
  const preview = JSON.stringify({ ...given, preview: true });

  test('while it is previewed', async () => {
    await probed.expectShort(() => probed.api.must(200).post('/api/v1/integrations/import', preview));
  });

  test('while it is imported, refreshed and read', async () => {
    await probed.expectShort(async () => {
      await probed.api.must(201).post('/api/v1/integrations/import', JSON.stringify(given));
      await probed.api.must(200).get('/api/v1/integrations/large');
      await probed.api.must(200).post('/api/v1/integrations/large/refresh', JSON.stringify({ document: given.document }));
      await probed.api.must(200).delete('/api/v1/integrations/large');
    });
  });
});
