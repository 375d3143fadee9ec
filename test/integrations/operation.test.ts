import type { OperationCall } from '../../integrations/declarative/operation.ts';
import { answering, call, parameter, seen, withThirdParty } from './operation-bed.ts';

withThirdParty();

const list = ['blue', 'a b', 'x,y'];
const object = { R: 100, G: 'a&b' };

describe('parameters of a query', () => {
  test.each([
    ['form, exploded', { explode: true }, list, 'p=blue&p=a%20b&p=x%2Cy'],
    ['form', { explode: false }, list, 'p=blue,a%20b,x%2Cy'],
    ['form of an object, exploded', { explode: true }, object, 'R=100&G=a%26b'],
    ['form of an object', { explode: false }, object, 'p=R,100,G,a%26b'],
    ['spaceDelimited', { style: 'spaceDelimited', explode: false }, list, 'p=blue%20a%20b%20x%2Cy'],
    ['pipeDelimited', { style: 'pipeDelimited', explode: false }, list, 'p=blue%7Ca%20b%7Cx%2Cy'],
    ['tabDelimited', { style: 'tabDelimited', explode: false }, list, 'p=blue%09a%20b%09x%2Cy'],
    ['deepObject', { style: 'deepObject' }, { a: 1, b: { c: [true] } }, 'p%5Ba%5D=1&p%5Bb%5D%5Bc%5D%5B0%5D=true'],
    ['content', { contentType: 'application/json' }, { a: [1] }, 'p=%7B%22a%22%3A%5B1%5D%7D'],
    ['a text as JSON content', { contentType: 'application/json' }, 'x', 'p=%22x%22'],
    ['reserved characters', { allowReserved: true }, 'a/b?c&d#e+f', 'p=a/b?c%26d%23e%2Bf'],
    ['an empty text', {}, '', 'p='],
    ['an empty list', {}, [], ''],
    ['nothing', {}, null, ''],
    ['a name with brackets', { name: 'p[]' }, ['a'], 'p%5B%5D=a'],
  ] as const)('%s', async (_, given, value, expected) => {
    const { sent } = await call({ operation: { parameters: [parameter(given)] }, input: { p: value } });
    expect(sent.url).toBe(`/v1/pets${expected && `?${expected}`}`);
  });
});

describe('parameters of a path', () => {
  test.each([
    ['simple', {}, 'a/b c', 'a%2Fb%20c'],
    ['simple list', {}, [1, 2], '1,2'],
    ['simple object', {}, object, 'R,100,G,a%26b'],
    ['simple object, exploded', { explode: true }, object, 'R=100,G=a%26b'],
    ['label', { style: 'label' }, [1, 2], '.1,2'],
    ['label, exploded', { style: 'label', explode: true }, [1, 2], '.1.2'],
    ['matrix', { style: 'matrix' }, [1, 2], ';p=1,2'],
    ['matrix, exploded', { style: 'matrix', explode: true }, [1, 2], ';p=1;p=2'],
    ['matrix of an object, exploded', { style: 'matrix', explode: true }, { a: 1 }, ';a=1'],
  ] as const)('%s', async (_, given, value, expected) => {
    const parameters = [parameter({ in: 'path', style: 'simple', explode: false, ...given })];
    const { sent } = await call({ operation: { path: '/pets/{p}', parameters }, input: { p: value } });
    expect(sent.url).toBe(`/v1/pets/${expected}`);
  });

  test.each(['', '.', '..', '..\\x', [], ['..']])('%j is not a valid path segment, and nothing is sent', async (value) => {
    const parameters = [parameter({ in: 'path', style: 'simple', explode: false })];
    await expect(call({ operation: { path: '/pets/{p}', parameters }, input: { p: value } })).rejects.toMatchObject({
      code: 'ACTION_FAILED',
    });
    expect(seen).toEqual([]);
  });

  test('a label of a single dot is refused, because it would become the segment `..`', async () => {
    const parameters = ['a', 'b'].map((name) => parameter({ name, input: name, in: 'path', style: 'label', explode: false }));
    await expect(call({ operation: { path: '/{a}', parameters: [parameters[0]!] }, input: { a: '.' } })).rejects.toMatchObject({
      code: 'ACTION_FAILED',
    });
  });
});

test('parameters are sent as headers and cookies', async () => {
  const parameters = [
    parameter({ input: 'trace', name: 'X-Trace', in: 'header', style: 'simple', explode: false }),
    parameter({ input: 'tags', name: 'tags', in: 'cookie', explode: false }),
    parameter({ input: 'session', name: 'session', in: 'cookie' }),
  ];
  const { sent } = await call({
    operation: { parameters, accept: 'application/json' },
    input: { trace: ['a', 'b'], tags: [1, 2], session: 'x;y' },
  });
  expect(sent.headers).toMatchObject({ 'x-trace': 'a,b', cookie: 'tags=1,2; session=x%3By', accept: 'application/json' });
});

describe('bodies', () => {
  const body = (given: Partial<NonNullable<OperationCall['body']>>): Partial<OperationCall> => ({
    body: { kind: 'json', contentType: 'application/json', required: false, ...given },
  });

  test('a JSON body has the property names of the document', async () => {
    const properties = [['a', 'a'] as const, ['param___proto__', '__proto__'] as const];
    const { sent } = await call({
      operation: body({ properties, contentType: 'application/vnd.api+json' }),
      input: { a: [1], param___proto__: 2 },
    });
    expect(sent.body).toBe('{"a":[1],"__proto__":2}');
    expect(sent.headers['content-type']).toBe('application/vnd.api+json');
  });

  test('inputs with undeclared names are properties of the body, if the body allows them', async () => {
    const operation = {
      ...body({ properties: [['param_constructor', 'constructor']], others: true }),
      parameters: [parameter({ input: 'dry', name: 'dry', in: 'query' })],
    };
    const { sent } = await call({ operation, input: { dry: 'x', param_constructor: 1, color: 'red' } });
    expect(sent).toMatchObject({ url: expect.stringContaining('?dry=x'), body: '{"constructor":1,"color":"red"}' });
    await expect(call({ operation, input: { param_constructor: 1, constructor: 2 } })).rejects.toThrow(
      'Send the property "constructor" as the input "param_constructor".',
    );
  });

  test('an empty body is sent only if it is required', async () => {
    const properties = [['a', 'a'] as const];
    expect((await call({ operation: body({ properties }) })).sent).toMatchObject({ body: '' });
    answering();
    expect((await call({ operation: body({ properties, required: true }) })).sent).toMatchObject({ body: '{}' });
  });

  test('a field of a form follows its encoding; without one, it is written with brackets', async () => {
    const properties = ['plain', 'list', 'json', 'commas'].map((name) => [name, name] as const);
    const encoding = { json: { contentType: 'application/json' }, commas: { style: 'form', explode: false } } as const;
    const { sent } = await call({
      operation: body({ kind: 'form', contentType: 'application/x-www-form-urlencoded', properties, encoding }),
      input: { plain: { a: 'x y' }, list: ['u', { v: 1 }], json: { k: 1 }, commas: [1, 2] },
    });
    expect(sent.body).toBe('plain%5Ba%5D=x%20y&list%5B0%5D=u&list%5B1%5D%5Bv%5D=1&json=%7B%22k%22%3A1%7D&commas=1,2');
  });

  test('multipart sends files, a list as several parts, objects as JSON, and escapes names', async () => {
    const properties = ['file', 'tags', 'meta', 'a"\r\nb'].map((name) => [name, name] as const);
    const { sent } = await call({
      operation: body({ kind: 'multipart', contentType: 'multipart/form-data', properties }),
      input: {
        file: { base64: 'aGk=', filename: 'a"b.txt', contentType: 'text/plain' },
        tags: ['x', 'y'],
        meta: { a: 1 },
        'a"\r\nb': 'z',
      },
    });
    const [, boundary] = /boundary=(.*)$/.exec(sent.headers['content-type']!)!;
    expect(sent.body.split(`--${boundary}`).map((part) => part.trim())).toEqual([
      '',
      'Content-Disposition: form-data; name="file"; filename="a%22b.txt"\r\nContent-Type: text/plain\r\n\r\nhi',
      'Content-Disposition: form-data; name="tags"\r\n\r\nx',
      'Content-Disposition: form-data; name="tags"\r\n\r\ny',
      'Content-Disposition: form-data; name="meta"\r\nContent-Type: application/json\r\n\r\n{"a":1}',
      'Content-Disposition: form-data; name="a%22%0D%0Ab"\r\n\r\nz',
      '--',
    ]);
  });

  test('text and bytes are sent unchanged', async () => {
    const text = await call({ operation: body({ kind: 'text', contentType: 'text/csv', input: 'body' }), input: { body: 'a,b' } });
    expect(text.sent).toMatchObject({ body: 'a,b', headers: { 'content-type': 'text/csv' } });
    answering();
    const bytes = body({ kind: 'bytes', contentType: 'image/*', input: 'body' });
    const file = { base64: 'aGk=', contentType: 'image/png' };
    expect((await call({ operation: bytes, input: { body: file } })).sent).toMatchObject({
      body: 'hi',
      headers: { 'content-type': 'image/png' },
    });
    await expect(call({ operation: bytes, input: { body: 'text' } })).rejects.toMatchObject({ code: 'ACTION_FAILED' });
  });
});
