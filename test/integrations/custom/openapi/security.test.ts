import { document, leftOut, read, readOne, withOperation } from './read.ts';

const secured = (securitySchemes: object, security: unknown, operation: object = {}) =>
  withOperation({ ...(security !== undefined && { security }), ...operation }, { components: { securitySchemes } });
const flow = { authorizationUrl: 'https://id.example/authorize', tokenUrl: '/token', scopes: { read: 'Read', write: 'Write' } };

test.each([
  ['bearer', { type: 'http', scheme: 'Bearer' }, { type: 'SECRET_TEXT', authenticate: 'bearer' }],
  ['openIdConnect', { type: 'openIdConnect', openIdConnectUrl: 'https://id.example' }, { type: 'SECRET_TEXT', authenticate: 'bearer' }],
  ['implicit OAuth', { type: 'oauth2', flows: { implicit: flow } }, { type: 'SECRET_TEXT', authenticate: 'bearer' }],
  ['basic', { type: 'http', scheme: 'basic' }, { type: 'BASIC_AUTH', authenticate: 'basic' }],
  ['a header', { type: 'apiKey', in: 'header', name: 'X-Key' }, { type: 'SECRET_TEXT', authenticate: { header: 'X-Key' } }],
  ['a query', { type: 'apiKey', in: 'query', name: 'key' }, { type: 'SECRET_TEXT', authenticate: { query: 'key' } }],
  ['a cookie', { type: 'apiKey', in: 'cookie', name: 'sid' }, { authenticate: { headers: { cookie: 'sid={account.secretText}' } } }],
  [
    'authorization code',
    { type: 'oauth2', flows: { authorizationCode: flow } },
    { type: 'OAUTH2', oauth2: { authorizationUrl: flow.authorizationUrl, tokenUrl: 'https://api.example/token', scopes: ['write'] } },
  ],
  [
    'client credentials',
    { type: 'oauth2', flows: { clientCredentials: flow } },
    {
      type: 'CUSTOM_AUTH',
      props: { required: ['clientId', 'clientSecret'] },
      authenticate: { clientCredentials: { tokenUrl: 'https://api.example/token', scopes: ['write'] } },
    },
  ],
])('the scheme %s becomes a method of authentication', async (_, scheme, expected) => {
  const { head, action } = await readOne(secured({ main: scheme }, [{ main: ['write'] }]));
  expect(head.auth).toEqual([expect.objectContaining({ displayName: 'main' })]);
  expect(head.auth).toMatchObject([expected]);
  expect(action.operation!.auth).toEqual([head.auth![0]!.key]);
});

test('several schemes that are required together are one account with a prop for each scheme', async () => {
  const schemes = {
    app: { type: 'apiKey', in: 'header', name: 'X-App' },
    token: { type: 'http', scheme: 'bearer' },
    sid: { type: 'apiKey', in: 'query', name: 's' },
  };
  const { head } = await readOne(secured(schemes, [{ app: [], token: [], sid: [] }]));
  expect(head.auth).toMatchObject([
    {
      type: 'CUSTOM_AUTH',
      props: { required: ['app', 'token', 'sid'] },
      authenticate: { headers: { 'x-app': '{account.app}', authorization: 'Bearer {account.token}' }, parameters: { s: '{account.sid}' } },
    },
  ]);
});

test('alternative schemes are several methods of authentication, each with its own key', async () => {
  const schemes = { 'My Key': { type: 'apiKey', in: 'header', name: 'X-Key' }, 'my-key': { type: 'http', scheme: 'bearer' } };
  const { head, action } = await readOne(secured(schemes, [{ 'My Key': [] }, { 'my-key': [] }]));
  expect(head.auth!.map(({ key }) => key)).toEqual(['my-key', 'my-key-2']);
  expect(action.operation!.auth).toEqual(['my-key', 'my-key-2']);
});

test('the scopes of an account are the scopes of all imported operations', async () => {
  const components = { securitySchemes: { main: { type: 'oauth2', flows: { authorizationCode: flow } } } };
  const paths = { '/a': { get: { security: [{ main: ['read'] }] } }, '/b': { get: { security: [{ main: ['write'] }] } } };
  expect((await read(document(paths, { components }))).head.auth).toMatchObject([{ oauth2: { scopes: ['read', 'write'] } }]);
  const some = await read(document(paths, { components }), { select: { paths: ['/a'] } });
  expect(some.head.auth).toMatchObject([{ oauth2: { scopes: ['read'] } }]);
});

test('an empty list means no credentials, and an empty requirement means an optional account', async () => {
  const schemes = { main: { type: 'http', scheme: 'bearer' } };
  const open = await readOne(secured(schemes, []));
  expect(open).toMatchObject({ head: { auth: null }, action: { operation: { auth: [] } } });
  const optional = await readOne(secured(schemes, [{}, { main: [] }]));
  expect(optional.action.operation).toMatchObject({ auth: ['main'], authOptional: true });
});

test('the account is optional if a document declares schemes and requires none', async () => {
  const { head, action } = await readOne(secured({ main: { type: 'http', scheme: 'bearer' } }, undefined));
  expect(head.auth).toMatchObject([{ type: 'SECRET_TEXT' }]);
  expect(action.operation).toMatchObject({ auth: ['main'], authOptional: true });
});

test.each([
  ['mutual TLS', { main: { type: 'mutualTLS' } }],
  ['digest', { main: { type: 'http', scheme: 'digest' } }],
  ['a scheme that is not declared', {}],
  ['an invalid header name', { main: { type: 'apiKey', in: 'header', name: 'X\r\nEvil' } }],
])('%s is not supported', async (_, schemes) => {
  expect(await leftOut(secured(schemes, [{ main: [] }]))).toMatchObject([{ reason: 'unsupported_security' }]);
});

test("the caller's authentication replaces the document's; null means no authentication", async () => {
  const schemes = { main: { type: 'mutualTLS' } };
  const auth = [{ key: 'token', type: 'SECRET_TEXT', displayName: 'Token', authenticate: { query: 'key' } }] as const;
  const parameters = [{ name: 'key', in: 'query', schema: { type: 'string' } }];
  const { head, action } = await readOne(secured(schemes, [{ main: [] }], { parameters }), { auth });
  expect(head.auth).toEqual(auth);
  expect(action.input.properties).toEqual({});
  expect(await readOne(secured(schemes, [{ main: [] }]), { auth: null })).toMatchObject({
    head: { auth: null },
    action: { operation: { auth: [] } },
  });
});
