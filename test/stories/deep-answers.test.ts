import { randomUUID } from 'node:crypto';
import { BODY_MAX_DEPTH, OUTPUT_MAX_DEPTH } from '../../domain/limits.ts';
import { aReceiver, type Receiver } from '../support/receiver.ts';
import { aPolicy, aServer, aTenant, type Tenant } from '../support/tenant.ts';

let tenant: Tenant;
let upstream: Receiver;

beforeAll(async () => {
  [tenant, upstream] = await Promise.all([aTenant(), aReceiver()]);
});
afterAll(() => upstream?.close());

const lists = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

function answers(body: string, status = 200) {
  upstream.answerWith(() => ({ status, body }));
}

function execute(integrationName: string, actionName: string, input: object, idempotencyKey?: string, on = tenant) {
  return on.api.post('/api/v1/actions/execute', { workspaceId: on.workspaceId, integrationName, actionName, input, idempotencyKey });
}
const get = (idempotencyKey?: string, on = tenant) =>
  execute('http', 'send_request', { method: 'GET', url: `${upstream.url}/deep` }, idempotencyKey, on);

const TOO_DEEP = { code: 'ACTION_FAILED', error: expect.stringContaining('nested deeper'), details: { reason: 'too_deep' } };

const DEEP: [string, string][] = [
  ['65 lists', lists(BODY_MAX_DEPTH + 1)],
  ['6,000 lists', lists(6000)],
  ['100,000 lists', lists(100_000)],
  ['65 objects', objects(BODY_MAX_DEPTH + 1)],
  ['40,000 objects', objects(40_000)],
];

test.each(DEEP)('deeply nested JSON (%s) from a third party is returned as text', async (_, body) => {
  answers(body);
  const before = upstream.received.length;
  const key = randomUUID();
  for (const answer of [await get(), await get(key), await get(key)]) {
    expect(answer).toMatchObject({ status: 200, body: { success: true, output: { status: 200 } } });
    expect(answer.body.output.body === body).toBe(true);
  }
  expect(upstream.received.length - before).toBe(2);
});

test('JSON nested up to the limit is parsed', async () => {
  for (const body of [lists(BODY_MAX_DEPTH), objects(BODY_MAX_DEPTH)]) {
    answers(body);
    expect((await get(randomUUID())).body.output.body).toEqual(JSON.parse(body));
  }
});

test('deeply nested JSON is returned as text even under a policy that records calls', async () => {
  const watched = await aTenant();
  await aPolicy(watched, { integrationNames: ['http'], decision: 'notify_only' });
  answers(lists(50_000));
  const key = randomUUID();
  for (const answer of [await get(undefined, watched), await get(key, watched), await get(key, watched)])
    expect(answer).toMatchObject({ status: 200, body: { output: { body: expect.stringMatching(/^\[+\]+$/) } } });
});

test.each([
  ['graphql', 'send_request', () => ({ url: upstream.url, query: '{ deep }' })],
  ['code', 'run_code', () => ({ code: `let v = 1; for (let i = 0; i < 200; i += 1) v = [v]; return v` })],
  [
    'advanced-code',
    'run_code',
    () => ({ language: 'javascript', code: `let v = 1; for (let i = 0; i < 200; i += 1) v = { v }; return v` }),
  ],
] as const)('a deeply nested output of %s is an error with the reason too_deep', async (integrationName, actionName, input) => {
  const key = randomUUID();
  for (const levels of [OUTPUT_MAX_DEPTH, 6000, 100_000]) {
    answers(`{"data":${lists(levels)}}`);
    for (const answer of [await execute(integrationName, actionName, input()), await execute(integrationName, actionName, input(), key)]) {
      expect(answer).toMatchObject({ status: 400, body: TOO_DEEP });
      expect(answer.headers.get('x-request-id')).toBeTruthy();
    }
  }
});

test.each([400, 500])('the error for a status %i with deeply nested JSON quotes the start of the body', async (status) => {
  answers(objects(50_000), status);
  const key = randomUUID();
  for (const answer of [
    await execute('graphql', 'send_request', { url: upstream.url, query: '{ a }' }, key),
    await get(),
    await get(randomUUID()),
  ])
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'ACTION_FAILED', details: { status, body: expect.stringMatching(/^{"a":/) } },
    });
});

test('a code run gets deeply nested JSON as text, and can catch the error of a deeply nested output', async () => {
  const { id } = await aServer(tenant, 'CODE', ['http', 'graphql']);
  answers(objects(40_000));
  const code = `const get = await svc.http.send_request({ method: 'GET', url: '${upstream.url}' });
    const post = await svc.http.send_request({ method: 'POST', url: '${upstream.url}' });
    return [typeof get.body, typeof post.body, get.body.length]`;
  const read = await tenant.api.must(200).post(`/api/v1/mcp/servers/${id}/execute-code`, { code });
  expect(read.structuredContent).toMatchObject({ status: 'executed', output: ['string', 'string', objects(40_000).length] });
  answers(`{"data":${lists(40_000)}}`);
  const ask = `const failed = await svc.graphql.send_request({ url: '${upstream.url}', query: '{ a }' }).catch((error) => error);
    return [failed.code, failed.details.reason]`;
  const caught = await tenant.api.must(200).post(`/api/v1/mcp/servers/${id}/execute-code`, { code: ask });
  expect(caught.structuredContent).toMatchObject({ status: 'executed', output: ['ACTION_FAILED', 'too_deep'] });
});

test("a third party's answer with invalid characters or very many fields is stored", async () => {
  const odd = `{"nul":"\\u0000","half":"\\ud800","\\ud800":1,"__proto__":{"a":1},"toJSON":1,"large":1e999}`;
  const many = `{${Array.from({ length: 60_000 }, (_, index) => `"k${index}":1`).join(',')}}`;
  for (const body of [odd, many]) {
    answers(body);
    const key = randomUUID();
    const all = [await get(), await get(key), await get(key)];
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(all.map((answer) => JSON.stringify(answer.body.output.body))).size).toBe(1);
  }
});
