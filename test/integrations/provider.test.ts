import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { openCatalog } from '../../integrations/catalog.ts';
import type { AuthenticateDocument } from '../../integrations/declarative/document.ts';
import { parseDocumentText } from '../../integrations/declarative/document-text.ts';
import { readDocument } from '../../integrations/declarative/read-document.ts';
import { toIntegration } from '../../integrations/declarative/to-integration.ts';
import type { AuthValue } from '../../integrations/definition.ts';
import { publicAccount } from '../../integrations/provider-auth.ts';
import type { Answer } from '../../integrations/provider-call.ts';
import { nextInLink } from '../../integrations/provider-paging.ts';
import { buildRequest } from '../../integrations/provider-request.ts';
import { scrubberOf } from '../../integrations/provider-secrets.ts';
import { inputSchema } from '../../integrations/schema/json-schema.ts';
import type { Examples } from '../../provider-kit/examples.ts';
import { runExamples } from '../../provider-kit/run-examples.ts';
import { accounts, basicAuth, custom, echo, methodOf, oauth, SECRET, token } from './echo-provider.ts';
import { type Fake, openFake, run } from './providers/provider-bed.ts';

let fake: Fake;

beforeAll(async () => {
  fake = await openFake('https://api.tasks.example');
});
afterAll(() => fake.close());

describe('the example of docs/providers.md', () => {
  const blocks = [...readFileSync('docs/providers.md', 'utf8').matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, block]) => block!);
  const [document = '', examples = ''] = blocks;
  const tasks = toIntegration('tasks', readDocument(document));

  test('is valid and does what its examples say', async () => {
    expect(await runExamples(tasks, parseDocumentText(examples) as Examples)).toEqual([]);
  });

  test('is an ordinary integration of the catalogue', () => {
    const { inputSchema, outputSchema, idempotent } = openCatalog([tasks]).getAction('tasks', 'list_tasks');
    expect(inputSchema).toMatchObject({
      additionalProperties: false,
      required: ['project_id'],
      properties: { limit: { minimum: 1, maximum: 100, default: 50 }, cursor: { type: 'string' } },
    });
    expect(outputSchema).toMatchObject({ required: ['tasks', 'nextCursor'] });
    expect(idempotent).toBe(true);
    expect(tasks.actions.add_task!.idempotent).toBe(false);
    expect(tasks.actions.add_task!.recipients!({ notify: ['a@example.com'] })).toEqual(['a@example.com']);
  });
});

const say = (changes: Parameters<typeof echo>[0] = {}, auth: AuthValue | null = token, call: { signal?: AbortSignal; now?: Date } = {}) =>
  run(echo(changes), 'say', {}, { auth, outbound: fake.outbound, ...call });

describe('credentials in a request', () => {
  test.each<[string, AuthenticateDocument, AuthValue, object]>([
    ['a header with a prefix', { header: 'X-Key', prefix: 'Key ' }, token, { 'x-key': 'Key s3cret-token' }],
    ['basic', 'basic', basicAuth, { authorization: `Basic ${Buffer.from(`ada:${SECRET}`).toString('base64')}` }],
    ['bearer, with an access token', 'bearer', oauth, { authorization: `Bearer ${SECRET}` }],
    ['bearer, with the platform app', 'bearer', { ...oauth, type: 'PLATFORM_OAUTH2' } as AuthValue, { authorization: `Bearer ${SECRET}` }],
  ])('%s', async (_, authenticate, auth, headers) => {
    fake.answers({ body: {} });
    await say({ authenticate, auth: methodOf(auth.type === 'PLATFORM_OAUTH2' ? 'OAUTH2' : auth.type) }, auth);
    expect(fake.seen[0]!.headers).toMatchObject(headers);
  });

  test('are added to the existing parameters of a query', async () => {
    fake.answers({ body: {} });
    await say({ authenticate: { query: 'key' }, shape: { request: { path: '/say', query: { a: 'b c' } } } });
    expect(fake.seen[0]!.url).toBe('/say?a=b+c&key=s3cret-token');
  });

  test('a missing account or another account type is an error before anything is sent', async () => {
    fake.answers({ body: {} });
    await expect(say({}, null)).rejects.toMatchObject({ code: 'CONNECTION_REQUIRED' });
    await expect(say({}, basicAuth)).rejects.toMatchObject({ code: 'ACTION_FAILED', message: expect.stringContaining('BASIC_AUTH') });
    expect(fake.seen).toEqual([]);
  });
});

describe('credentials are never shown', () => {
  const echoes = [SECRET, encodeURIComponent(SECRET), Buffer.from(`ada:${SECRET}`).toString('base64')];

  test.each(accounts)('%s, in an answer', async (type, auth, how) => {
    const said = type === 'BASIC_AUTH' ? echoes : echoes.slice(0, 2);
    fake.answers({ body: { said: `you sent ${said.join(' and ')}`, deep: [{ said: SECRET }] } });
    const output = {
      properties: { said: { type: 'string' }, deep: { type: 'array', items: { properties: { said: { type: 'string' } } } } },
    };
    expect(await say({ ...how, output }, auth)).toEqual({
      said: `you sent ${said.map(() => '[redacted]').join(' and ')}`,
      deep: [{ said: '[redacted]' }],
    });
  });

  test.each(accounts)('%s, in a failure, in several forms', async (_, auth, how) => {
    for (const body of [
      { error: SECRET },
      `no: ${SECRET}`,
      JSON.stringify({ echo: SECRET }),
      JSON.stringify({ echo: SECRET }).replaceAll('/', '\\/'),
      { error: `${'x'.repeat(495)}${SECRET}` },
    ]) {
      fake.answers({ status: 400, body });
      const errors = { message: 'error', code: 'error' };
      const error = await say({ ...how, errors }, auth).catch((thrown) => thrown);
      expect(error).toMatchObject({ code: 'ACTION_FAILED', details: { status: 400 } });
      expect(JSON.stringify([error.message, error.details])).not.toMatch(/3n\+s3|3n%2B|s3cret/);
    }
  });

  test('secret props of a login', () => {
    const props = inputSchema({ properties: { site: { type: 'string', public: true }, pin: { type: 'string' } } });
    const method = { key: 'a', type: 'BASIC_AUTH', displayName: 'A', description: '', props } as const;
    const login = {
      type: 'BASIC_AUTH',
      username: 'ada',
      password: 'pa55word',
      props: { site: 'https://a.example', pin: '12345678' },
    } as const;
    expect(scrubberOf(login, [method])('pa55word https://a.example 12345678')).toBe('[redacted] https://a.example [redacted]');
    expect(publicAccount([method], login)).toEqual({ username: 'ada', site: 'https://a.example' });
  });

  test('public props and OAuth data that is not marked as secret are not redacted', async () => {
    fake.answers({ body: { said: 'north, Blue team, https://hooks.example/abcdef' } });
    expect(await say(accounts[3]![2], custom)).toEqual({ said: 'north, Blue team, https://hooks.example/abcdef' });
    expect(await say(accounts[2]![2], oauth)).toEqual({ said: 'north, Blue team, [redacted]' });
  });
});

describe('requests', () => {
  test('can contain a form', async () => {
    fake.answers({ body: {} });
    await say();
    expect(fake.seen).toMatchObject([{ headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'text=hi&list=a&list=1' }]);
  });

  test('contain each value as one path segment, or are refused', async () => {
    const value = fc.oneof(fc.string({ unit: 'binary' }), fc.webPath(), fc.constantFrom('.', '..', '%2e', '//x', '?', '#', '\\', '@', ''));
    const path = '/a/{x}/b/{y}.json';
    await fc.assert(
      fc.asyncProperty(value, value, async (x, y) => {
        let pathname: string;
        try {
          ({ pathname } = (await buildRequest({ baseUrl: 'https://api.example/v1/' }, { path }, { x, y })).url);
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

  test('quotes in a quoted value are escaped', async () => {
    const { url } = await buildRequest({ baseUrl: 'https://api.example' }, { path: "/root/search(q='{q}')" }, { q: "O'Neil's/plan" });
    expect(url.href).toBe("https://api.example/root/search(q='O''Neil''s%2Fplan')");
  });

  test.each([
    ['no value', {}, 'key is missing.'],
    ['null', { key: null }, 'key is missing.'],
    ['a list', { key: ['a'] }, 'key must be a text, a number or a boolean, because it is a part of the path.'],
    ['an object', { key: {} }, 'key must be a text, a number or a boolean, because it is a part of the path.'],
  ])('%s is refused as a path segment', async (_, input, message) => {
    await expect(buildRequest({ baseUrl: 'https://api.example' }, { path: '/files/{key}' }, input)).rejects.toThrow(message);
  });

  test('a value with slashes stays within its part of the path', async () => {
    const { url } = await buildRequest({ baseUrl: 'https://api.example' }, { path: '/files/{+key}' }, { key: '//a/b?c/#d' });
    expect(url.href).toBe('https://api.example/files///a/b%3Fc/%23d');
    for (const key of ['..', 'a/..', './a', ''])
      await expect(buildRequest({ baseUrl: 'https://api.example' }, { path: '/files/{+key}' }, { key })).rejects.toThrow('key cannot be');
  });

  test('the next page is a parameter of the link with rel=next', () => {
    const next = (link: string) => nextInLink('page')({ headers: { link } } as unknown as Answer);
    expect(next('<https://x.example/?page=2>; rel="prev", <https://evil.example/?a=1&page=4>; rel="next"')).toBe('4');
    expect(next('</relative?page=3>; rel=next')).toBe('3');
    for (const link of ['', '<https://x.example/?page=2>; rel="last"', '<:::>; rel="next"', '<?p=1>; rel="next"'])
      expect(next(link)).toBeFalsy();
  });
});
