import type { AuthDocument } from '../../integrations/declarative/document.ts';
import type { AuthValue } from '../../integrations/definition.ts';
import { answering, call, integrationOf, origin, parameter, seen, withThirdParty } from './operation-bed.ts';

withThirdParty();

describe('answers', () => {
  const link = '<https://api.example/pets?page=1>; rel="prev", <https://api.example/pets?page=3>; title="a"; rel="last next"';
  test.each([
    ['a JSON object', 'application/json', '{"a":1}', { a: 1 }],
    ['a JSON list', 'application/problem+json', '[1]', { result: [1], nextLink: 'https://api.example/pets?page=3' }],
    ['text', 'text/csv; charset=utf-8', 'a,b', { text: 'a,b', contentType: 'text/csv; charset=utf-8' }],
    ['bytes', 'image/png', 'hi', { base64: 'aGk=', contentType: 'image/png', sizeBytes: 2 }],
    ['nothing', 'application/json', '', { result: null }],
    ['JSON without a type', '', '"x"', { result: 'x', nextLink: 'https://api.example/pets?page=3' }],
    ['text without a type', '', 'x', { text: 'x', contentType: 'text/plain' }],
  ])('%s', async (_, contentType, text, expected) => {
    answering((__, response) => response.writeHead(200, { link, ...(contentType && { 'content-type': contentType }) }).end(text));
    expect((await call()).output).toEqual(expected);
  });

  test('JSON that cannot be parsed fails with the reason unexpected_answer', async () => {
    answering((_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":'));
    await expect(call()).rejects.toMatchObject({ code: 'ACTION_FAILED', details: { reason: 'unexpected_answer' } });
  });
});

describe('accounts', () => {
  const methods: AuthDocument[] = [
    { key: 'header', type: 'SECRET_TEXT', displayName: 'Key', authenticate: { header: 'X-Key' } },
    { key: 'bearer', type: 'SECRET_TEXT', displayName: 'Token', authenticate: 'bearer' },
    { key: 'both', type: 'CUSTOM_AUTH', displayName: 'Both', authenticate: { headers: { cookie: 'sid={account.sid}' } } },
  ];
  const token = (methodKey?: string): AuthValue => ({ type: 'SECRET_TEXT', secretText: 's3cret', ...(methodKey && { methodKey }) });

  test('credentials are sent as the method of the account defines', async () => {
    const { sent } = await call({ methods, auth: token('bearer') });
    expect(sent.headers.authorization).toBe('Bearer s3cret');
    expect(sent.headers).not.toHaveProperty('x-key');
  });

  test("an operation that does not accept the account's authentication method is not called", async () => {
    const refused = call({ methods, auth: token('bearer'), operation: { auth: ['header'] } });
    await expect(refused).rejects.toMatchObject({ code: 'ACTION_FAILED', message: expect.stringContaining('Key') });
    expect(seen).toEqual([]);
  });

  test('an operation without security gets no credentials', async () => {
    const { sent } = await call({ methods, auth: token('bearer'), operation: { auth: [] } });
    expect(sent.headers).not.toHaveProperty('authorization');
    expect(integrationOf({ methods, operation: { auth: [] } }).actions.call).toMatchObject({ account: 'none' });
  });

  test('an optional account may be missing', async () => {
    const operation = { auth: ['bearer'], authOptional: true };
    expect((await call({ methods, operation })).sent.headers).not.toHaveProperty('authorization');
    answering();
    expect((await call({ methods, operation, auth: token('bearer') })).sent.headers.authorization).toBe('Bearer s3cret');
  });

  test('a cookie with credentials is sent together with cookie parameters', async () => {
    const { sent } = await call({
      methods,
      auth: { type: 'CUSTOM_AUTH', props: { sid: 's1' }, methodKey: 'both' },
      operation: { parameters: [parameter({ in: 'cookie' })] },
      input: { p: 'x' },
    });
    expect(sent.headers.cookie).toBe('p=x; sid=s1');
  });

  test('client credentials are exchanged for a token, which is cached', async () => {
    const grant = { tokenUrl: `${origin()}/token`, scopes: ['read', 'write'] };
    const client: AuthDocument = { key: 'client', type: 'CUSTOM_AUTH', displayName: 'Client', authenticate: { clientCredentials: grant } };
    answering(({ url }, response) => {
      if (url !== '/token') return response.writeHead(204).end();
      return response.writeHead(200, { 'content-type': 'application/json' }).end('{"access_token":"t1","expires_in":3600}');
    });
    const auth: AuthValue = { type: 'CUSTOM_AUTH', props: { clientId: 'id', clientSecret: 'a:b' } };
    await call({ methods: [client], auth });
    await call({ methods: [client], auth });
    expect(seen.map(({ url }) => url)).toEqual(['/token', '/v1/pets', '/v1/pets']);
    const basic = Buffer.from('id:a%3Ab').toString('base64');
    expect(seen[0]).toMatchObject({ body: 'grant_type=client_credentials&scope=read+write', headers: { authorization: `Basic ${basic}` } });
    expect(seen[2]!.headers.authorization).toBe('Bearer t1');
  });

  test('concurrent calls request one token together, at the address that their account defines', async () => {
    const grant = { tokenUrl: '{account.site}/token' };
    const client: AuthDocument = { key: 'client', type: 'CUSTOM_AUTH', displayName: 'Client', authenticate: { clientCredentials: grant } };
    answering(({ url }, response) => {
      if (url !== '/token') return response.writeHead(204).end();
      return response.writeHead(200, { 'content-type': 'application/json' }).end('{"access_token":"t2","expires_in":3600}');
    });
    const auth: AuthValue = { type: 'CUSTOM_AUTH', props: { clientId: 'id', clientSecret: 'at-once', site: origin() } };
    await Promise.all(Array.from({ length: 5 }, () => call({ methods: [client], auth })));
    expect(seen.map(({ url }) => url)).toEqual(['/token', ...Array(5).fill('/v1/pets')]);
    const elsewhere = { ...auth, props: { ...auth.props, site: 'no address' } };
    await expect(call({ methods: [client], auth: elsewhere })).rejects.toThrow('no usable site');
  });

  test('a refused cached token is replaced once, and no token appears in an answer', async () => {
    const grant = { tokenUrl: `${origin()}/token` };
    const client: AuthDocument = { key: 'client', type: 'CUSTOM_AUTH', displayName: 'Client', authenticate: { clientCredentials: grant } };
    let given = 0;
    let revoked = '';
    answering(({ url, headers: { authorization = '' } }, response) => {
      const json = response.setHeader('content-type', 'application/json');
      if (url === '/token') return json.end(JSON.stringify({ access_token: `token-number-${++given}`, expires_in: 3600 }));
      return authorization === revoked ? json.writeHead(401).end('{}') : json.end(JSON.stringify({ said: authorization }));
    });
    const auth: AuthValue = { type: 'CUSTOM_AUTH', props: { clientId: 'id', clientSecret: 'revoked' } };
    expect((await call({ methods: [client], auth })).output).toEqual({ said: 'Bearer [redacted]' });
    revoked = 'Bearer token-number-1';
    expect((await call({ methods: [client], auth })).output).toEqual({ said: 'Bearer [redacted]' });
    expect(seen.map(({ url, headers }) => [url, headers.authorization?.slice(0, 21)])).toEqual([
      ['/token', expect.stringMatching(/^Basic /)],
      ['/v1/pets', 'Bearer token-number-1'],
      ['/v1/pets', 'Bearer token-number-1'],
      ['/token', expect.stringMatching(/^Basic /)],
      ['/v1/pets', 'Bearer token-number-2'],
    ]);
  });

  test('if the token endpoint refuses the client, the error hides the client secret', async () => {
    const grant = { tokenUrl: `${origin()}/token`, clientAuth: 'body' } as const;
    const client: AuthDocument = { key: 'client', type: 'CUSTOM_AUTH', displayName: 'Client', authenticate: { clientCredentials: grant } };
    answering((_, response) => response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"invalid_client"}'));
    const auth: AuthValue = { type: 'CUSTOM_AUTH', props: { clientId: 'id', clientSecret: 's3cret' } };
    const error = await call({ methods: [client], auth }).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'ACTION_FAILED', details: { reason: 'unauthorized', status: 401 } });
    expect(JSON.stringify([error.message, error.details])).not.toContain('s3cret');
  });
});
