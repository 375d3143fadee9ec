import { document, jsonBody, leftOut, readOne, withOperation } from './read.ts';

const query = (name: string, more: object = {}) => ({ name, in: 'query', schema: { type: 'string' }, ...more });

test('parameters with the same name are ordered by place: path, query, header, cookie', async () => {
  const parameters = ['cookie', 'header', 'query', 'path'].map((place) => ({ name: 'id', in: place, schema: { type: 'string' } }));
  const { action } = await readOne(
    document({ '/pets/{id}': { get: { parameters: parameters.map((one) => ({ required: true, ...one })) } } }),
  );
  expect(Object.keys(action.input.properties as object)).toEqual(['id', 'id_query', 'id_header', 'id_cookie']);
  expect(action.input.required).toEqual(['id', 'id_query', 'id_header', 'id_cookie']);
  expect(action.operation!.parameters.map(({ input, name, in: place }) => [input, name, place])).toEqual([
    ['id', 'id', 'path'],
    ['id_query', 'id', 'query'],
    ['id_header', 'id', 'header'],
    ['id_cookie', 'id', 'cookie'],
  ]);
});

test('a parameter of the operation replaces the parameter of its path', async () => {
  const { action } = await readOne(
    document({ '/pets': { parameters: [query('a'), query('b')], get: { parameters: [query('b', { required: true })] } } }),
  );
  expect(action.input).toMatchObject({ required: ['b'], additionalProperties: false });
  expect(Object.keys(action.input.properties as object)).toEqual(['a', 'b']);
});

test('the keywords style, explode, content and allowReserved are kept', async () => {
  const { action } = await readOne(
    withOperation({
      parameters: [
        query('deep', { style: 'deepObject', explode: true, allowReserved: true }),
        query('list', { explode: false }),
        { name: 'filter', in: 'query', content: { 'application/json': { schema: { type: 'object' } } } },
        { name: 'X-List', in: 'header', schema: { type: 'array' } },
      ],
    }),
  );
  expect(action.operation!.parameters).toEqual([
    { input: 'deep', name: 'deep', in: 'query', style: 'deepObject', explode: true, allowReserved: true },
    { input: 'list', name: 'list', in: 'query', style: 'form', explode: false },
    { input: 'filter', name: 'filter', in: 'query', style: 'form', explode: true, contentType: 'application/json' },
    { input: 'X-List', name: 'X-List', in: 'header', style: 'simple', explode: false },
  ]);
});

test('headers that the service sends, and parameters that a security scheme fills, are not inputs', async () => {
  const names = ['Accept', 'content-type', 'Authorization', 'Cookie', 'Transfer-Encoding', 'X-Key', 'X-Kept'];
  const parameters = [...names.map((name) => ({ name, in: 'header', schema: { type: 'string' } })), query('api_key')];
  const securitySchemes = { a: { type: 'apiKey', in: 'header', name: 'x-key' }, b: { type: 'apiKey', in: 'query', name: 'api_key' } };
  const { action } = await readOne(withOperation({ parameters, security: [{ a: [] }, { b: [] }] }, { components: { securitySchemes } }));
  expect(Object.keys(action.input.properties as object)).toEqual(['X-Kept']);
});

describe('bodies', () => {
  const properties = { name: { type: 'string' }, tag: { type: 'string' } };

  test('the properties of an object and of its allOf become inputs beside the parameters', async () => {
    const schema = { allOf: [{ $ref: '#/components/schemas/Base' }, { type: 'object', properties: { tag: { type: 'string' } } }] };
    const Base = {
      type: 'object',
      required: ['name', 'id'],
      properties: { name: { type: 'string' }, id: { type: 'integer', readOnly: true } },
    };
    const { action } = await readOne(
      withOperation({ parameters: [query('dry')], ...jsonBody(schema) }, { components: { schemas: { Base } } }),
    );
    expect(action.input).toMatchObject({ required: ['name'], properties: { dry: {}, name: {}, tag: {} } });
    expect(action.operation!.body).toEqual({
      ...{ kind: 'json', contentType: 'application/json', required: true },
      properties: [
        ['name', 'name'],
        ['tag', 'tag'],
      ],
    });
    expect(action.input.properties).not.toHaveProperty('id');
  });

  test('an optional body requires no input', async () => {
    const schema = { type: 'object', properties, required: ['name'] };
    const { action } = await readOne(withOperation(jsonBody(schema, { required: false })));
    expect(action.input).not.toHaveProperty('required');
    expect(action.operation!.body).toMatchObject({ required: false });
  });

  test.each([
    ['a property collides', { type: 'object', properties: { ...properties, dry: {} } }],
    ['the type is a list', { type: 'array', items: { type: 'string' } }],
    ['there are alternatives', { oneOf: [{ type: 'object', properties }, { type: 'object' }] }],
    ['other properties have a type', { type: 'object', properties, additionalProperties: { type: 'string' } }],
    ['no property is named', { type: 'object', additionalProperties: true }],
    ['there is no keyword', {}],
  ])('the whole body is the input `body` if %s in its schema', async (_, schema) => {
    const { action } = await readOne(withOperation({ parameters: [query('dry')], ...jsonBody(schema) }));
    expect(Object.keys(action.input.properties as object)).toEqual(['dry', 'body']);
    expect(action.input.required).toEqual(['body']);
    expect(action.operation!.body).toMatchObject({ input: 'body' });
  });

  test.each([true, {}])('undeclared properties are also inputs if `additionalProperties` is %j', async (additionalProperties) => {
    const schema = {
      allOf: [
        { type: 'object', properties },
        { type: 'object', additionalProperties },
      ],
    };
    const { action } = await readOne(withOperation({ parameters: [query('dry')], ...jsonBody(schema) }));
    expect(Object.keys(action.input.properties as object)).toEqual(['dry', ...Object.keys(properties)]);
    expect(action.input.additionalProperties).toBe(true);
    expect(action.operation!.body).toMatchObject({ others: true });
  });

  test('if one part of `allOf` forbids undeclared properties, they are forbidden', async () => {
    const parts = [
      { type: 'object', properties, additionalProperties: false },
      { type: 'object', additionalProperties: true },
    ];
    for (const allOf of [parts, parts.toReversed()]) {
      const { action } = await readOne(withOperation(jsonBody({ allOf })));
      expect(action.input.additionalProperties).toBe(false);
    }
  });

  test('a form accepts only declared fields', async () => {
    const schema = { type: 'object', properties, additionalProperties: true };
    const requestBody = { content: { 'application/x-www-form-urlencoded': { schema } } };
    const { action } = await readOne(withOperation({ requestBody }));
    expect(Object.keys(action.input.properties as object)).toEqual(Object.keys(properties));
    expect(action.input.additionalProperties).toBe(false);
    expect(action.operation!.body).not.toHaveProperty('others');
  });

  test('the input for the body is named `request_body` if a parameter is named `body`', async () => {
    const { action } = await readOne(withOperation({ parameters: [query('body')], ...jsonBody({ type: 'array' }) }));
    expect(Object.keys(action.input.properties as object)).toEqual(['body', 'request_body']);
  });

  test('an input with the name of a prototype property is renamed', async () => {
    const given = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{},"a":{}}}');
    const { action } = await readOne(withOperation({ parameters: [query('prototype')], ...jsonBody(given) }));
    expect(Object.keys(action.input.properties as object)).toEqual(['param_prototype', 'param___proto__', 'param_constructor', 'a']);
    expect(action.operation!.body!.properties).toContainEqual(['param___proto__', '__proto__']);
  });

  test('JSON is preferred to forms, and forms to other types', async () => {
    const content = (...types: string[]) => ({
      requestBody: { content: Object.fromEntries(types.map((type) => [type, { schema: { type: 'string' } }])) },
    });
    const kind = async (...types: string[]) => {
      const { action } = await readOne(withOperation(content(...types)));
      return [action.operation!.body!.kind, action.operation!.body!.contentType];
    };
    const FORM = 'application/x-www-form-urlencoded';
    expect(await kind('text/plain', FORM, 'application/json; charset=utf-8')).toEqual(['json', 'application/json; charset=utf-8']);
    expect(await kind('multipart/form-data', FORM)).toEqual(['form', FORM]);
    expect(await kind('image/png', 'multipart/form-data')).toEqual(['multipart', 'multipart/form-data']);
    expect(await kind('application/xml', 'application/vnd.api+json')).toEqual(['json', 'application/vnd.api+json']);
    expect(await kind('text/csv')).toEqual(['text', 'text/csv']);
    expect(await kind('image/png')).toEqual(['bytes', 'image/png']);
  });

  test('the inputs for files of a form are objects, also in lists; encodings are kept', async () => {
    const file = { type: 'string', format: 'binary' };
    const schema = {
      type: 'object',
      properties: { photo: file, more: { type: 'array', items: file }, icon: {}, meta: { type: 'object' } },
    };
    const encoding = { icon: { contentType: 'image/png' }, meta: { contentType: 'application/json', headers: {} } };
    const { action } = await readOne(withOperation({ requestBody: { content: { 'multipart/form-data': { schema, encoding } } } }));
    const isFile = { properties: { base64: {}, filename: {}, contentType: {} }, required: ['base64'] };
    expect(action.input.properties).toMatchObject({
      photo: isFile,
      more: { type: 'array', items: isFile },
      icon: isFile,
      meta: { type: 'object' },
    });
    expect(action.operation!.body!.encoding).toEqual({ icon: { contentType: 'image/png' }, meta: { contentType: 'application/json' } });
  });

  test('a body of XML objects is not supported', async () => {
    const content = { 'application/xml': { schema: { type: 'object', properties } } };
    expect(await leftOut(withOperation({ requestBody: { content } }))).toMatchObject([
      { operation: 'POST /pets', reason: 'unsupported_media_type' },
    ]);
  });
});

test.each([
  ['a name in the path without a parameter', { '/pets/{id}': { get: {} } }, 'invalid_operation'],
  ['a parameter without a name', { '/pets': { get: { parameters: [{ in: 'query' }] } } }, 'invalid_operation'],
  ['an operation that is not an object', { '/pets': { get: 'x' } }, 'invalid_operation'],
  ['TRACE', { '/pets': { trace: {} } }, 'invalid_operation'],
  ['dots', { '/pets/../admin': { get: {} } }, 'unsafe_path'],
  ['encoded dots', { '/pets/%2E%2e/admin': { get: {} } }, 'unsafe_path'],
  ['a backslash', { '/pets\\..\\admin': { get: {} } }, 'unsafe_path'],
  ['another host', { '//evil.example/pets': { get: {} } }, 'unsafe_path'],
  ['a query', { '/pets?admin=1': { get: {} } }, 'unsafe_path'],
  ['a fragment', { '/pets#x': { get: {} } }, 'unsafe_path'],
  ['more than 1,000 inputs', { '/pets': { get: { parameters: Array.from({ length: 1001 }, (_, i) => query(`p${i}`)) } } }, 'too_large'],
])('an operation is left out because of %s', async (_, paths, reason) => {
  expect(await leftOut(document(paths))).toMatchObject([{ reason, message: expect.any(String) }]);
});
