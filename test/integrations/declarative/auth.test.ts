import { expect, test } from '@jest/globals';
import { authenticateBy } from '../../../integrations/declarative/authenticate.ts';
import { readDocument } from '../../../integrations/declarative/read-document.ts';
import type { Outgoing } from '../../../integrations/provider-request.ts';

const look = { displayName: 'Look', description: 'Looks', category: 'read', output: {}, request: { path: '/look' } };
const whole = {
  ...{ format: 1, displayName: 'Tasks', description: 'Plan work', categories: ['PROJECT_MANAGEMENT'] },
  ...{ baseUrl: 'https://api.tasks.example/v2', authenticate: { headers: {} }, actions: { look } },
};
const props = { properties: { key: { type: 'string' }, site: { type: 'string', public: true } } };
const custom = { key: 'a', type: 'CUSTOM_AUTH', displayName: 'A', props };
const twoSecrets = { properties: { key: { type: 'string' }, other: { type: 'string' } } };
const login = { ...custom, type: 'BASIC_AUTH' };

function consent(more: object = {}, { tokenUrl = 'https://a.example/token' } = {}) {
  const oauth2 = { authorizationUrl: 'https://a.example/authorize', tokenUrl, scopes: [] };
  return { key: 'a', type: 'OAUTH2', displayName: 'A', oauth2, ...more };
}

function problemPaths(document: object): string[] {
  try {
    readDocument({ ...whole, ...document });
    return [];
  } catch (error) {
    const { code, details } = error as { code: string; details: { issues: { path: string }[] } };
    expect(code).toBe('DOCUMENT_INVALID');
    return details.issues.map(({ path }) => path);
  }
}

test.each<[string, object, string]>([
  ['a secret in the address', { auth: [custom], baseUrl: 'https://{account.key}.example' }, '/baseUrl'],
  [
    'a secret in the address of the token endpoint',
    { auth: [custom], authenticate: { clientCredentials: { tokenUrl: 'https://{account.key}.example/token' } } },
    '/authenticate/clientCredentials/tokenUrl',
  ],
  ['no props', { auth: [{ ...custom, props: undefined }] }, '/auth/0'],
  ['props of a secret text', { auth: [{ ...custom, type: 'SECRET_TEXT' }] }, '/auth/0/props'],
  ['props of tokens without consent', { auth: [{ ...custom, type: 'OAUTH2' }] }, '/auth/0/props'],
  [
    'a secret prop of consent',
    { auth: [consent({ props: { properties: { shop: { type: 'string' } } } })] },
    '/auth/0/props/properties/shop',
  ],
  [
    'a consent host from a prop that does not exist',
    { auth: [consent({}, { tokenUrl: 'https://{account.shop}.example' })] },
    '/auth/0/oauth2/tokenUrl',
  ],
  ['bearer for a user name and a password', { auth: [login], authenticate: 'bearer' }, '/authenticate'],
  ['basic for a single secret', { auth: [{ ...custom, type: 'SECRET_TEXT', props: undefined }], authenticate: 'basic' }, '/authenticate'],
  [
    'one header for props with two secrets',
    { auth: [{ ...custom, props: twoSecrets }], authenticate: { header: 'X-Key' } },
    '/authenticate',
  ],
  ['a login for props without user name and password', { auth: [{ ...custom, authenticate: 'basic' }] }, '/auth/0/authenticate'],
  ['two methods with one key', { auth: [{ ...custom }, { ...login }] }, '/auth/1/key'],
])('%s is refused', (_, document, path) => {
  expect(problemPaths(JSON.parse(JSON.stringify(document)))).toEqual([path]);
});

test.each<[string, object]>([
  ['a public prop', { auth: [custom], baseUrl: 'https://{account.site}.example' }],
  ['a public prop beside a login', { auth: [login], baseUrl: 'https://{account.site}.example' }],
  [
    'a prop that is asked for before consent',
    {
      auth: [
        consent({ props: { properties: { shop: { type: 'string', public: true } } } }, { tokenUrl: 'https://{account.shop}.example' }),
      ],
    },
  ],
  ['a field that arrives with a token', { auth: [consent({ props: { properties: {} } })], baseUrl: 'https://a.example/{account.cloudid}' }],
])('%s is allowed in an address', (_, document) => {
  expect(problemPaths(document)).toEqual([]);
});

const namedLogin = { properties: { username: { type: 'string' }, password: { type: 'string' } } };

test.each<[string, unknown, object, Record<string, unknown>, Record<string, string>, string]>([
  ['bearer', 'bearer', props, { key: 'k', site: 's' }, { authorization: 'Bearer k' }, ''],
  ['a header', { header: 'X-Key', prefix: 'Key ' }, props, { key: 'k', site: 's' }, { 'x-key': 'Key k' }, ''],
  ['a parameter', { query: 'key' }, props, { key: 'k', site: 's' }, {}, '?key=k'],
  [
    'nothing, if no prop is a secret',
    { header: 'X-Key' },
    { properties: { site: { type: 'string', public: true } } },
    { site: 's' },
    {},
    '',
  ],
  ['basic', 'basic', namedLogin, { username: 'u', password: 'p' }, { authorization: `Basic ${btoa('u:p')}` }, ''],
])('the credentials of an account with props are sent as %s', async (_, authenticate, asked, given, headers, query) => {
  const document = { ...whole, auth: [{ ...custom, props: asked }], authenticate };
  const send = authenticateBy(readDocument(document));
  const request = { method: 'GET', url: new URL('https://api.tasks.example/v2/look'), headers: {} } as unknown as Outgoing;
  const sent = await send(request, { type: 'CUSTOM_AUTH', props: given }, new Date(), {} as Parameters<typeof send>[3]);
  expect(sent).toMatchObject({ headers, url: new URL(`https://api.tasks.example/v2/look${query}`) });
});

test.each<[string, unknown, object, Record<string, unknown>, string]>([
  ['the secret', 'bearer', props, { site: 's' }, 'key'],
  ['an empty secret', { header: 'X-Key' }, props, { key: '', site: 's' }, 'key'],
  ['the user name', 'basic', namedLogin, { password: 'p' }, 'username'],
])('an account without %s is refused, and nothing is sent', (_, authenticate, asked, given, missing) => {
  const send = authenticateBy(readDocument({ ...whole, auth: [{ ...custom, props: asked }], authenticate }));
  const request = { method: 'GET', url: new URL('https://api.tasks.example/v2/look'), headers: {} } as unknown as Outgoing;
  const act = () => send(request, { type: 'CUSTOM_AUTH', props: given }, new Date(), {} as Parameters<typeof send>[3]);
  expect(act).toThrow(`The connected account is not complete: ${missing}. Connect it again.`);
});

test('the base64 of a login is a secret too, because a third party may echo it', async () => {
  const send = authenticateBy(readDocument({ ...whole, auth: [{ ...custom, props: namedLogin }], authenticate: 'basic' }));
  const request = { method: 'GET', url: new URL('https://api.tasks.example/v2/look'), headers: {} } as unknown as Outgoing;
  const sent = await send(
    request,
    { type: 'CUSTOM_AUTH', props: { username: 'u', password: 'p' } },
    new Date(),
    {} as Parameters<typeof send>[3],
  );
  expect(sent.secrets).toContain(btoa('u:p'));
});
