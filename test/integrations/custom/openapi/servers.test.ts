import { document, leftOut, read, readOne, withOperation } from './read.ts';

const get = { operationId: 'get', responses: {} };
const at = (servers: unknown, more: object = {}) => ({ ...document({ '/pets': { get } }), servers, ...more });
const baseOf = async (given: object, input: object = {}) => (await readOne(given, input)).head.baseUrl;

test('the first https server is used, or else the first server', async () => {
  expect(await baseOf(at([{ url: 'http://a.example' }, { url: 'https://b.example/v1/' }, { url: 'https://c.example' }]))).toBe(
    'https://b.example/v1',
  );
  expect(await baseOf(at([{ url: 'http://a.example' }]))).toBe('http://a.example');
});

test("the caller's base URL takes precedence over every server", async () => {
  const given = document({ '/pets': { get: { ...get, servers: [{ url: 'https://other.example' }] } } });
  expect(await baseOf(given, { baseUrl: 'https://mine.example/api' })).toBe('https://mine.example/api');
});

test('a relative or missing server is resolved against the address of the document', async () => {
  const url = 'https://docs.example/specs/pets.json';
  expect(await baseOf(at([{ url: '/v2' }]), { url })).toBe('https://docs.example/v2');
  expect(await baseOf(at([{ url: '../v3' }]), { url })).toBe('https://docs.example/v3');
  expect(await baseOf(at(undefined), { url })).toBe('https://docs.example');
});

test("server variables have their defaults or the caller's values", async () => {
  const variables = { region: { default: 'eu', enum: ['eu', 'us'] }, version: { default: 'v1' }, port: { default: '8443' } };
  const given = at([{ url: 'https://{region}.api.example:{port}/{version}', variables }]);
  expect(await baseOf(given)).toBe('https://eu.api.example:8443/v1');
  expect(await baseOf(given, { serverVariables: { region: 'us', version: 'v2.1' } })).toBe('https://us.api.example:8443/v2.1');
});

test.each([
  ['a value that is not listed', { region: 'cn' }],
  ['a host', { region: 'evil.example' }],
  ['a path', { region: 'x/..' }],
  ['an authority', { region: 'evil.example#' }],
  ['dots as a segment', { version: '..' }],
  ['two segments', { version: 'a/b' }],
  ['nothing', { version: '' }],
  ['no valid host label', { region: '-cn' }],
])('an invalid value of a server variable is refused: %s', async (_, serverVariables) => {
  const variables = { region: { default: 'eu', enum: ['eu', 'evil.example', 'x/..', 'evil.example#', '-cn'] }, version: { default: 'v1' } };
  const given = at([{ url: 'https://{region}.api.example/{version}', variables }]);
  await expect(read(given, { serverVariables })).rejects.toMatchObject({ code: 'SERVER_REQUIRED' });
});

test.each([
  ['no server and no address', undefined],
  ['a relative server without an address', [{ url: '/v1' }]],
  ['a variable without a default', [{ url: 'https://{host}/v1' }]],
  ['a scheme other than http', [{ url: 'ftp://files.example' }]],
  ['credentials in the address', [{ url: 'https://user:pass@api.example' }]],
])('%s is SERVER_REQUIRED', async (_, servers) => {
  await expect(read(at(servers))).rejects.toMatchObject({ code: 'SERVER_REQUIRED' });
});

test('a document with a forbidden server is refused; an operation with a forbidden server is left out', async () => {
  const refused = async (urls: readonly string[]) => urls.filter((url) => url.includes('169.254'));
  await expect(read(at([{ url: 'https://169.254.169.254/x' }]), {}, { refused })).rejects.toMatchObject({ code: 'ADDRESS_NOT_ALLOWED' });
  const own = (url: string) => withOperation({ servers: [{ url }] });
  expect(await leftOut(own('http://169.254.169.254'), {}, { refused })).toMatchObject([{ reason: 'address_not_allowed' }]);
  expect(await leftOut(own('https://other.example'), {}, { refused })).toMatchObject([{ reason: 'foreign_server' }]);
});

test('an operation can have a server with another path on the same host', async () => {
  const { actions } = await read(
    document({ '/pets': { get, servers: [{ url: 'https://api.example/beta' }] }, '/dogs': { get: { operationId: 'dogs' } } }),
  );
  expect(actions.get).toMatchObject({ baseUrl: 'https://api.example/beta' });
  expect(actions.dogs).not.toHaveProperty('baseUrl');
});

test('an operation without any server is not sent to the server of another operation', async () => {
  const paths = { '/pets': { get, servers: [{ url: 'https://pets.example' }] }, '/dogs': { get: { operationId: 'dogs' } } };
  const given = { ...document(paths), servers: undefined };
  const alone = await read(given);
  expect([alone.head.baseUrl, Object.keys(alone.actions)]).toEqual(['https://pets.example', ['get']]);
  expect(alone.report.leftOut).toMatchObject([{ operation: 'GET /dogs', reason: 'invalid_operation' }]);

  const fetched = await read(given, { url: 'https://docs.example/specs/pets.json' });
  expect([fetched.head.baseUrl, Object.keys(fetched.actions)]).toEqual(['https://docs.example', ['dogs']]);
  expect(fetched.report.leftOut).toMatchObject([{ operation: 'GET /pets', reason: 'foreign_server' }]);
});

describe('Swagger 2', () => {
  const swagger = (more: object) => ({ swagger: '2.0', info: { title: 'Old' }, paths: { '/pets': { get } }, ...more });

  test('the server consists of scheme, host and base path', async () => {
    expect(await baseOf(swagger({ host: 'old.example', basePath: '/v1', schemes: ['http', 'https'] }))).toBe('https://old.example/v1');
    expect(await baseOf(swagger({ host: 'old.example' }))).toBe('https://old.example');
    expect(await baseOf(swagger({ basePath: '/v1' }), { url: 'http://docs.example/swagger.json' })).toBe('http://docs.example/v1');
  });

  test('parameters with collection formats, bodies and forms are converted', async () => {
    const list = { type: 'array', items: { type: 'string' } };
    const formats = ['csv', 'ssv', 'tsv', 'pipes', 'multi'];
    const parameters = formats.map((collectionFormat) => ({ name: collectionFormat, in: 'query', ...list, collectionFormat }));
    const file = { name: 'photo', in: 'formData', type: 'file', required: true };
    const given = swagger({
      host: 'old.example',
      paths: {
        '/lists': { get: { operationId: 'lists', parameters } },
        '/photos': { post: { operationId: 'photo', parameters: [file, { name: 'note', in: 'formData', type: 'string' }] } },
        '/form': { post: { operationId: 'form', parameters: [{ name: 'tags', in: 'formData', ...list, collectionFormat: 'multi' }] } },
        '/pets': {
          post: {
            operationId: 'pet',
            parameters: [{ name: 'pet', in: 'body', required: true, schema: { $ref: '#/definitions/Pet' } }],
            responses: { 200: { schema: { type: 'array', items: { $ref: '#/definitions/Pet' } } } },
          },
        },
      },
      definitions: { Pet: { type: 'object', required: ['name'], properties: { name: { type: 'string', 'x-nullable': true } } } },
    });
    const { actions, report, source } = await read(given);
    expect(report).toMatchObject({ imported: 4, typed: 4 });
    expect(source).toEqual({ format: 'swagger-2.0', documentVersion: null });
    expect(actions.lists!.operation!.parameters.map(({ name, style, explode }) => [name, style, explode])).toEqual([
      ['csv', 'form', false],
      ['ssv', 'spaceDelimited', false],
      ['tsv', 'tabDelimited', false],
      ['pipes', 'pipeDelimited', false],
      ['multi', 'form', true],
    ]);
    expect(actions.lists!.input.properties).toMatchObject({ csv: list });
    expect(actions.photo!.operation!.body).toMatchObject({
      kind: 'multipart',
      properties: [
        ['photo', 'photo'],
        ['note', 'note'],
      ],
    });
    expect(actions.photo!.input).toMatchObject({ required: ['photo'], properties: { photo: { required: ['base64'] } } });
    expect(actions.form!.operation!.body).toMatchObject({ kind: 'form', encoding: { tags: { style: 'form', explode: true } } });
    expect(actions.pet!.input).toMatchObject({ properties: { name: { type: ['string', 'null'] } }, required: ['name'] });
    expect(actions.pet!.output).toMatchObject({ required: ['result'] });
  });
});
