import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { openCatalog } from '../../integrations/catalog.ts';
import type { AuthMethod, AuthValue } from '../../integrations/definition.ts';
import { basic, bearer, endpoint, inHeader, inQuery, nextInLink, type Provider, provider } from '../../integrations/provider.ts';
import type { Answer } from '../../integrations/provider-call.ts';
import { buildRequest } from '../../integrations/provider-request.ts';
import { tasks } from './providers/example-provider.ts';
import { type Fake, openFake, options, run } from './providers/provider-bed.ts';

const SECRET = 'tok/3n+s3cret "q"';
const token: AuthValue = { type: 'SECRET_TEXT', secretText: 's3cret-token' };
let fake: Fake;

beforeAll(async () => {
  fake = await openFake('https://api.tasks.example');
});
afterAll(() => fake.close());

describe('the example of docs/integrations.md', () => {
  const call = (name: string, input: object) => run(tasks, name, input, { auth: token, outbound: fake.outbound });

  test('is the one that is tested here', () => {
    const blocks = [...readFileSync('docs/integrations.md', 'utf8').matchAll(/```ts\n([\s\S]*?)```/g)].map(([, block]) => block!);
    const documented = blocks.find((block) => block.includes('export const tasks'));
    const tested = readFileSync('test/integrations/providers/example-provider.ts', 'utf8');
    expect(documented).toBe(tested.replace("'../../../integrations/provider.ts'", "'../provider.ts'"));
  });

  test('makes the request that it describes', async () => {
    fake.answers({ status: 201, body: { id: 't1', title: 'Water plants', created: 'now' } });
    expect(await call('add_task', { project_id: 'a/b', title: 'Water plants' })).toEqual({ id: 't1', title: 'Water plants' });
    expect(fake.seen).toMatchObject([
      {
        method: 'POST',
        url: '/v2/projects/a%2Fb/tasks',
        headers: { authorization: 'Bearer s3cret-token' },
        body: { title: 'Water plants' },
      },
    ]);
  });

  test('pages, offers choices, names recipients, and says what went wrong', async () => {
    fake.answers({ body: { tasks: [{ id: 't1', title: 'x' }], paging: { next: 2 } } });
    expect(await call('list_tasks', { project_id: 'p', limit: 1 })).toEqual({ tasks: [{ id: 't1', title: 'x' }], nextCursor: '2' });
    expect(fake.seen[0]!.url).toBe('/v2/projects/p/tasks?per_page=1');
    fake.answers({ body: { projects: [{ id: 'p', name: 'Garden' }] } });
    expect(await options(tasks, 'add_task.project_id', {}, { auth: token, outbound: fake.outbound })).toEqual([
      { label: 'Garden', value: 'p' },
    ]);
    expect(tasks.actions.add_task!.recipients!({ notify: ['a@example.com'] })).toEqual(['a@example.com']);
    fake.answers({ status: 409, body: { error: 'duplicate', reason: 'There is such a task.' } });
    await expect(call('add_task', { project_id: 'p', title: 'x' })).rejects.toMatchObject({
      code: 'ACTION_FAILED',
      message: 'Tasks answered 409 Conflict: There is such a task. (duplicate)',
      details: { status: 409, code: 'duplicate' },
    });
  });

  test('is an integration of the catalogue like any other', () => {
    const { inputSchema, outputSchema, idempotent } = openCatalog([tasks]).getAction('tasks', 'list_tasks');
    expect(inputSchema).toMatchObject({
      additionalProperties: false,
      required: ['project_id'],
      properties: { limit: { minimum: 1, maximum: 100, default: 50 }, cursor: { type: 'string' } },
    });
    expect(outputSchema).toMatchObject({ required: ['tasks', 'nextCursor'] });
    expect(idempotent).toBe(true);
    expect(tasks.actions.add_task!.idempotent).toBe(false);
  });
});

/** A provider that echoes, with whatever the test changes. */
function echo(changes: Partial<Provider> & { output?: z.ZodObject; shape?: object }) {
  const { output = z.object({ said: z.string().nullish() }), shape = {}, ...how } = changes;
  return provider({
    name: 'echo',
    displayName: 'Echo',
    description: 'For tests',
    logoUrl: null,
    categories: ['DEVELOPER_TOOLS'],
    auth: [{ key: 'token', type: 'SECRET_TEXT', displayName: 'Token', description: '' }],
    baseUrl: 'https://api.tasks.example',
    authenticate: bearer,
    actions: {
      say: endpoint({
        displayName: 'Say',
        description: 'For tests',
        category: 'write',
        input: z.object({ text: z.string().default('hi') }),
        output,
        request: { method: 'POST', path: '/say', form: ({ text }) => ({ text, list: ['a', 1], none: undefined }) },
        ...shape,
      }),
    },
    ...how,
  });
}
const say = (changes: Parameters<typeof echo>[0] = {}, auth: AuthValue | null = token, call: { signal?: AbortSignal; now?: Date } = {}) =>
  run(echo(changes), 'say', {}, { auth, outbound: fake.outbound, ...call });

const methodOf = (type: AuthMethod['type'], props?: z.ZodObject): AuthMethod[] => [
  { key: 'one', type, displayName: 'One', description: '', ...(props && { props }) },
];
const basicAuth: AuthValue = { type: 'BASIC_AUTH', username: 'ada', password: SECRET };
const oauth: AuthValue = {
  type: 'OAUTH2',
  accessToken: SECRET,
  data: { team: 'Blue team', hook: { url: 'https://hooks.example/abcdef' } },
};
const custom: AuthValue = { type: 'CUSTOM_AUTH', props: { pin: SECRET, region: 'north' } };
const customProps = z.object({ pin: z.string(), region: z.string().meta({ public: true }) });
const accounts: [string, AuthValue, Partial<Provider>][] = [
  ['SECRET_TEXT', { type: 'SECRET_TEXT', secretText: SECRET }, {}],
  ['BASIC_AUTH', basicAuth, { auth: methodOf('BASIC_AUTH'), authenticate: basic }],
  ['OAUTH2', oauth, { auth: methodOf('OAUTH2') }],
  ['CUSTOM_AUTH', custom, { auth: methodOf('CUSTOM_AUTH', customProps), authenticate: (request) => request }],
];

describe('how credentials go into a request', () => {
  test.each([
    ['a header with a prefix', inHeader('x-key', 'Key '), token, { 'x-key': 'Key s3cret-token' }],
    ['basic', basic, basicAuth, { authorization: `Basic ${Buffer.from(`ada:${SECRET}`).toString('base64')}` }],
    ['bearer, with an access token', bearer, oauth, { authorization: `Bearer ${SECRET}` }],
    [
      'bearer, of an app of the platform',
      bearer,
      { ...oauth, type: 'PLATFORM_OAUTH2' } as AuthValue,
      { authorization: `Bearer ${SECRET}` },
    ],
  ])('%s', async (_, authenticate, auth, headers) => {
    fake.answers({ body: {} });
    await say({ authenticate, auth: methodOf(auth.type === 'PLATFORM_OAUTH2' ? 'OAUTH2' : auth.type) }, auth);
    expect(fake.seen[0]!.headers).toMatchObject(headers);
  });

  test('the query, beside what is there', async () => {
    fake.answers({ body: {} });
    await say({ authenticate: inQuery('key'), shape: { request: { path: '/say', query: () => ({ a: 'b c' }) } } });
    expect(fake.seen[0]!.url).toBe('/say?a=b+c&key=s3cret-token');
  });

  test('no account, and one of another type, are said before anything is sent', async () => {
    fake.answers({ body: {} });
    await expect(say({}, null)).rejects.toMatchObject({ code: 'CONNECTION_REQUIRED' });
    await expect(say({}, basicAuth)).rejects.toMatchObject({ code: 'ACTION_FAILED', message: expect.stringContaining('BASIC_AUTH') });
    expect(fake.seen).toEqual([]);
  });
});

describe('credentials never come back', () => {
  const echoes = [SECRET, encodeURIComponent(SECRET), Buffer.from(`ada:${SECRET}`).toString('base64')];

  test.each(accounts)('%s, from an answer', async (type, auth, how) => {
    const said = type === 'BASIC_AUTH' ? echoes : echoes.slice(0, 2);
    fake.answers({ body: { said: `you sent ${said.join(' and ')}`, deep: [{ said: SECRET }] } });
    const output = z.object({ said: z.string(), deep: z.array(z.object({ said: z.string() })) });
    expect(await say({ ...how, output }, auth)).toEqual({
      said: `you sent ${said.map(() => '[redacted]').join(' and ')}`,
      deep: [{ said: '[redacted]' }],
    });
  });

  test.each(accounts)('%s, from a failure, in any form', async (_, auth, how) => {
    for (const body of [
      { error: SECRET },
      `no: ${SECRET}`,
      JSON.stringify({ echo: SECRET }),
      JSON.stringify({ echo: SECRET }).replaceAll('/', '\\/'),
      { error: `${'x'.repeat(495)}${SECRET}` },
    ]) {
      fake.answers({ status: 400, body });
      const errors = z.object({ error: z.string() }).transform(({ error }) => ({ message: error, code: error }));
      const error = await say({ ...how, errors }, auth).catch((thrown) => thrown);
      expect(error).toMatchObject({ code: 'ACTION_FAILED', details: { status: 400 } });
      expect(JSON.stringify([error.message, error.details])).not.toMatch(/3n\+s3|3n%2B|s3cret/);
    }
  });

  test('what is no secret stays: public props, and OAuth data that is not named as one', async () => {
    fake.answers({ body: { said: 'north, Blue team, https://hooks.example/abcdef' } });
    expect(await say(accounts[3]![2], custom)).toEqual({ said: 'north, Blue team, https://hooks.example/abcdef' });
    expect(await say(accounts[2]![2], oauth)).toEqual({ said: 'north, Blue team, [redacted]' });
  });
});

describe('what comes back, in words', () => {
  test('something that is not JSON', async () => {
    fake.answers({ body: '<html>Hello</html>' });
    await expect(say()).rejects.toMatchObject({
      code: 'ACTION_FAILED',
      message: 'Echo answered 200 with something that is not JSON.',
      details: { status: 200, reason: 'unexpected_answer' },
    });
  });

  test('another form than the API promises: said with the warning that it may have acted', async () => {
    fake.answers({ body: { said: 5 } });
    await expect(say()).rejects.toMatchObject({
      message: 'Echo answered in a form that was not expected: said. What was asked for may have been done.',
      details: { reason: 'unexpected_answer' },
    });
    fake.answers({ body: undefined });
    await expect(say({ shape: { request: { path: '/say' } } })).rejects.toMatchObject({
      message: 'Echo answered in a form that was not expected: the whole.',
    });
  });

  test('an answer nested so deep that it cannot be read', async () => {
    fake.answers({ body: '['.repeat(500_000) + ']'.repeat(500_000) });
    await expect(say()).rejects.toMatchObject({ code: 'ACTION_FAILED' });
    fake.answers({ status: 500, body: '['.repeat(500_000) + ']'.repeat(500_000) });
    await expect(say({ errors: z.object({ error: z.string() }).transform(() => ({})) })).rejects.toMatchObject({ code: 'ACTION_FAILED' });
  });

  test('too much', async () => {
    fake.answers({ body: { said: 'x'.repeat(2000) } });
    await expect(say({ shape: { maxBytes: 1000 } })).rejects.toMatchObject({ code: 'ACTION_FAILED', details: { reason: 'too_large' } });
  });

  test('nothing in time, and a call that was canceled', async () => {
    fake.answers(() => {});
    await expect(say({ shape: { timeoutSeconds: 0.05 } })).rejects.toMatchObject({ code: 'ACTION_FAILED', details: { reason: 'timeout' } });
    await expect(say({}, token, { signal: AbortSignal.abort() })).rejects.toMatchObject({ details: { reason: 'aborted' } });
  });

  test('a connection that breaks', async () => {
    fake.answers((response) => response.destroy());
    await expect(say()).rejects.toMatchObject({ code: 'ACTION_FAILED', details: { reason: 'unreachable' } });
  });

  test('a redirect, which is never followed', async () => {
    fake.answers({ status: 302, headers: { location: 'https://evil.example/' } });
    await expect(say()).rejects.toMatchObject({ message: 'Echo answered 302 Found.', details: { status: 302 } });
    expect(fake.seen).toHaveLength(1);
  });

  test.each([
    ['a page of HTML is not quoted', '<!doctype html><title>Bad gateway</title>', 'Echo answered 502 Bad Gateway.'],
    ['plain text is', ' upstream\n\tdown ', 'Echo answered 502 Bad Gateway: upstream down'],
    ['JSON of another form is', { detail: 'down' }, 'Echo answered 502 Bad Gateway: {"detail":"down"}'],
    ['what is long is cut', 'x'.repeat(600), `Echo answered 502 Bad Gateway: ${'x'.repeat(500)}…`],
    ['nothing says nothing', undefined, 'Echo answered 502 Bad Gateway.'],
  ])('a failure: %s', async (_, body, message) => {
    fake.answers({ status: 502, body });
    await expect(say()).rejects.toMatchObject({ code: 'ACTION_FAILED', message, details: { status: 502 } });
  });

  test('an unusual status', async () => {
    fake.answers({ status: 599, headers: {} });
    await expect(say()).rejects.toMatchObject({ message: 'Echo answered 599.' });
  });

  test.each([
    [{ 'retry-after': '7' }, 7],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:01:30 GMT' }, 90],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'x-ratelimit-reset': '1767225660' }, 60],
    [{ 'x-ratelimit-reset': '6m0s' }, undefined],
    [{}, undefined],
  ])('429 with %j: seconds to wait', async (headers, seconds) => {
    fake.answers({ status: 429, headers });
    const error = await say({}, token, { now: new Date('2026-01-01T00:00:00Z') }).catch((thrown) => thrown);
    expect(error.message).toBe(`Echo takes no more calls at the moment; try again ${seconds === undefined ? 'later' : `in ${seconds} s`}.`);
    expect(error.details).toEqual({ status: 429, reason: 'rate_limited', ...(seconds !== undefined && { retryAfterSeconds: seconds }) });
  });

  test('no request header is in a failure', async () => {
    fake.answers({ status: 500, body: {} });
    const error = await say({ headers: { 'x-internal': 'header-value' } }).catch((thrown) => thrown);
    expect(fake.seen[0]!.headers['x-internal']).toBe('header-value');
    expect(JSON.stringify([error.message, error.details, String(error.stack)])).not.toMatch(/header-value|s3cret/);
  });
});

describe('requests', () => {
  test('a form', async () => {
    fake.answers({ body: {} });
    await say();
    expect(fake.seen).toMatchObject([{ headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'text=hi&list=a&list=1' }]);
  });

  test('a value is one segment of the path, whatever it is, or it is refused', () => {
    const value = fc.oneof(fc.string({ unit: 'binary' }), fc.webPath(), fc.constantFrom('.', '..', '%2e', '//x', '?', '#', '\\', '@', ''));
    const path = '/a/{x}/b/{y}.json';
    fc.assert(
      fc.property(value, value, (x, y) => {
        let pathname: string;
        try {
          ({ pathname } = buildRequest({ baseUrl: 'https://api.example/v1/' }, { path }, { x, y }).url);
        } catch (error) {
          expect(error).toMatchObject({ code: 'ACTION_FAILED' });
          expect(['', '.', '..'].some((refused) => x === refused || y === refused)).toBe(true);
          return;
        }
        const parts = pathname.split('/').map(decodeURIComponent);
        expect(parts).toEqual(['', 'v1', 'a', x.toWellFormed(), 'b', `${y.toWellFormed()}.json`]);
      }),
      { numRuns: 500 },
    );
  });

  test('a value that keeps its slashes has segments that lead nowhere else', () => {
    const { url } = buildRequest({ baseUrl: 'https://api.example' }, { path: '/files/{+key}' }, { key: '//a/b?c/#d' });
    expect(url.href).toBe('https://api.example/files///a/b%3Fc/%23d');
    for (const key of ['..', 'a/..', './a', ''])
      expect(() => buildRequest({ baseUrl: 'https://api.example' }, { path: '/files/{+key}' }, { key })).toThrow('key cannot be');
  });

  test('the next page is a parameter of the link that says so', () => {
    const next = (link: string) => nextInLink('page')({ headers: { link } } as unknown as Answer);
    expect(next('<https://x.example/?page=2>; rel="prev", <https://evil.example/?a=1&page=4>; rel="next"')).toBe('4');
    expect(next('</relative?page=3>; rel=next')).toBe('3');
    for (const link of ['', '<https://x.example/?page=2>; rel="last"', '<:::>; rel="next"', '<?p=1>; rel="next"'])
      expect(next(link)).toBeFalsy();
  });
});
