import { document, jsonAnswer, jsonBody, leftOut, read, readOne, withOperation } from './read.ts';

const schemasOf = (schemas: object) => ({ components: { schemas } });
const old = (given: object) => ({ ...given, openapi: '3.0.3' });

test('OpenAPI 3.0 becomes JSON Schema 2020-12', async () => {
  const schema = {
    type: 'object',
    properties: {
      age: { type: 'integer', minimum: 0, exclusiveMinimum: true, nullable: true, default: 1, example: 3 },
      kind: { enum: ['a', 'b'], nullable: true },
      owner: { allOf: [{ type: 'object' }], nullable: true },
      pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }] },
      odd: { type: 'strange', required: true, minLength: 'x', pattern: 'a+' },
    },
  };
  const { action } = await readOne(old(withOperation(jsonBody(schema))));
  expect(action.input.properties).toEqual({
    age: { type: ['integer', 'null'], minimum: 0, exclusiveMinimum: 0, description: 'Default: 1.' },
    kind: { enum: ['a', 'b', null] },
    owner: { anyOf: [{ allOf: [{ type: 'object' }] }, { type: 'null' }] },
    pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] },
    odd: { pattern: 'a+' },
  });
});

test('a default is moved to the description, so that an update does not set it', async () => {
  const schema = { type: 'object', properties: { status: { type: 'string', default: 'on', description: 'State.' } } };
  const { action } = await readOne(withOperation(jsonBody(schema)));
  expect(action.input.properties).toEqual({ status: { type: 'string', description: 'State. Default: "on".' } });
});

test('a cycle stays a reference to $defs', async () => {
  const Node = { type: 'object', properties: { children: { type: 'array', items: { $ref: '#/components/schemas/Node' } } } };
  const { action } = await readOne(withOperation(jsonAnswer({ $ref: '#/components/schemas/Node' }), schemasOf({ Node })));
  const self = { $ref: '#/$defs/Node' };
  expect(action.output).toMatchObject({ properties: { children: { items: self } } });
  expect(action.output.$defs).toMatchObject({ Node: { type: 'object' } });
});

test('at any depth, requests have no read-only properties, and answers have no write-only properties', async () => {
  const Pet = {
    type: 'object',
    required: ['id', 'secret', 'name'],
    properties: { id: { readOnly: true }, secret: { $ref: '#/components/schemas/Secret' }, name: { type: 'string' } },
  };
  const Secret = { type: 'string', writeOnly: true };
  const ref = { $ref: '#/components/schemas/Pet' };
  const given = withOperation(
    { ...jsonBody({ type: 'object', properties: { pet: ref } }), ...jsonAnswer(ref) },
    schemasOf({ Pet, Secret }),
  );
  const { action } = await readOne(given);
  expect(action.input.properties).toEqual({
    pet: { type: 'object', properties: { secret: { type: 'string' }, name: { type: 'string' } }, required: ['secret', 'name'] },
  });
  expect(action.output).toEqual({ type: 'object', properties: { id: {}, name: { type: 'string' } }, required: ['id', 'name'] });
});

test('descriptions are cut at 2,000 characters', async () => {
  const { action } = await readOne(
    withOperation({ description: 'd'.repeat(3000), ...jsonBody({ type: 'array', description: 'e'.repeat(3000) }) }),
  );
  expect(action.description).toHaveLength(2000);
  expect((action.input.properties as { body: { description: string } }).body.description).toHaveLength(2000);
});

test('a schema above 256 kB is cut and reported, and the rest keeps its types', async () => {
  const large = (name: string) => ({
    type: 'object',
    properties: { [name]: { enum: Array.from({ length: 1900 }, (_, i) => `${'v'.repeat(90)}${i}`) } },
  });
  const schemas = Object.fromEntries(['A', 'B', 'C'].map((name) => [name, large(name)]));
  const refs = {
    type: 'object',
    properties: Object.fromEntries(Object.keys(schemas).map((name) => [name, { $ref: `#/components/schemas/${name}` }])),
  };
  const { packed, report } = await read(withOperation({ operationId: 'big', ...jsonAnswer(refs) }, schemasOf(schemas)));
  expect(report).toMatchObject({ imported: 1, noteCount: 1, notes: [{ operation: 'big', code: 'schema_cut' }] });
  expect(Object.values(packed.actions[0]!.uses.output).filter((hash) => hash === null)).toHaveLength(2);
});

test('a chain of 200 schemas, each with three references to the next, is read in time', async () => {
  const refs = (level: number) => Object.fromEntries(['a', 'b', 'c'].map((key) => [key, { $ref: `#/components/schemas/L${level + 1}` }]));
  const levels = Object.fromEntries(Array.from({ length: 200 }, (_, level) => [`L${level}`, { type: 'object', properties: refs(level) }]));
  const schemas = { ...levels, L200: { type: 'string' } };
  const { report } = await read(withOperation({ ...jsonBody({ $ref: '#/components/schemas/L0' }) }, schemasOf(schemas)));
  expect(report).toMatchObject({ imported: 1, typed: 1 });
  const allOf = Object.fromEntries(Object.keys(levels).map((name, level) => [name, { allOf: Object.values(refs(level)) }]));
  const merged = await read(
    withOperation(jsonBody({ $ref: '#/components/schemas/L0' }), schemasOf({ ...allOf, L200: { type: 'object' } })),
  );
  expect(merged.report.imported).toBe(1);
});

describe('references', () => {
  const Pet = (reference: string) => schemasOf({ Pet: { type: 'object', properties: { owner: { $ref: reference } } } });
  const withPet = (reference: string) => withOperation(jsonAnswer({ $ref: '#/components/schemas/Pet' }), Pet(reference));

  test.each([
    ['another document', 'https://evil.example/owner.json', 'remote_reference'],
    ['a file', 'file:///etc/passwd', 'remote_reference'],
    ['a relative document', 'owner.json#/Owner', 'remote_reference'],
    ['nothing', '#/components/schemas/Gone', 'broken_reference'],
    ['the prototype', '#/components/__proto__/toString', 'broken_reference'],
    ['an anchor', '#owner', 'broken_reference'],
  ])('an operation that refers to %s is left out', async (_, reference, reason) => {
    expect(await leftOut(withPet(reference))).toMatchObject([{ operation: 'POST /pets', reason, message: expect.stringContaining('"') }]);
  });

  test('schemas that an operation does not use have no effect on it', async () => {
    const failure = { 404: { $ref: 'https://evil.example/failure.json' }, 204: {} };
    const { report } = await read(withOperation({ responses: failure }, Pet('https://evil.example/owner.json')));
    expect(report).toMatchObject({ imported: 1, leftOut: [] });
  });

  test('an operation whose references form a cycle and never reach a schema is left out', async () => {
    const loop = schemasOf({ A: { $ref: '#/components/schemas/B' }, B: { $ref: '#/components/schemas/A' } });
    expect(await leftOut(withOperation(jsonBody({ $ref: '#/components/schemas/A' }), loop))).toMatchObject([
      { reason: 'broken_reference' },
    ]);
    const parameters = { P: { $ref: '#/components/parameters/P' } };
    const given = withOperation({ parameters: [{ $ref: '#/components/parameters/P' }] }, { components: { parameters } });
    expect(await leftOut(given)).toMatchObject([{ reason: 'broken_reference' }]);
  });

  test('pointers can have escapes and lead to any part of the document', async () => {
    const schemas = { 'a/b c': { type: 'string' }, Pet: { type: 'object', properties: { id: { type: 'integer' } } } };
    const properties = {
      text: { $ref: '#/components/schemas/a~1b%20c' },
      id: { $ref: '#/components/schemas/Pet/properties/id' },
    };
    const { action } = await readOne(withOperation(jsonBody({ type: 'object', properties }), schemasOf(schemas)));
    expect(action.input.properties).toEqual({ text: { type: 'string' }, id: { type: 'integer' } });
  });

  test('a path item, a parameter and a body can be references', async () => {
    const components = {
      pathItems: {
        Pets: { post: { parameters: [{ $ref: '#/components/parameters/Q' }], requestBody: { $ref: '#/components/requestBodies/B' } } },
      },
      parameters: { Q: { name: 'q', in: 'query', schema: { type: 'string' } } },
      requestBodies: { B: { content: { 'application/json': { schema: { type: 'array' } } } } },
    };
    const { action } = await readOne(document({ '/pets': { $ref: '#/components/pathItems/Pets' } }, { components }));
    expect(Object.keys(action.input.properties as object)).toEqual(['q', 'body']);
  });
});

describe('answers', () => {
  const answer = async (responses: object) => (await readOne(withOperation({ responses }))).action;
  const json = (schema?: object) => ({ content: { 'application/json': { ...(schema && { schema }) } } });
  const object = { type: 'object', properties: { id: { type: 'string' } } };

  test('the lowest success status defines the output; without one, the default answer does', async () => {
    expect((await answer({ 404: json(), 201: json({ type: 'object', title: '201' }), 200: json(object) })).output).toEqual(object);
    expect((await answer({ '4XX': json(), default: json(object) })).output).toEqual(object);
    expect((await answer({ '2XX': json(object) })).output).toEqual(object);
  });

  test('a JSON object is the output itself; other JSON is in `result`, text in `text`, and bytes in `base64`', async () => {
    const result = { type: 'array', items: object };
    expect((await answer({ 200: json(result) })).output).toMatchObject({
      properties: { result, nextLink: { type: 'string' } },
      required: ['result'],
    });
    expect((await answer({ 200: { content: { 'text/csv': {} } } })).output).toMatchObject({ required: ['text', 'contentType'] });
    expect((await answer({ 200: { content: { 'image/png': {} } } })).output).toMatchObject({
      required: ['base64', 'contentType', 'sizeBytes'],
    });
    expect((await answer({ 204: {} })).output).toEqual({ type: 'object', properties: { result: { type: 'null' } }, required: ['result'] });
    expect((await answer({ 200: json({ oneOf: [object, object] }) })).output).toEqual({ oneOf: [object, object] });
  });

  test('JSON is preferred, and the header Accept names the possible types', async () => {
    const content = { 'text/plain': {}, 'application/json': { schema: object } };
    expect(await answer({ 200: { content } })).toMatchObject({ output: object, operation: { accept: 'text/plain, application/json' } });
  });

  test('a JSON answer without a schema has no type', async () => {
    const { report } = await read(withOperation({ responses: { 200: json() } }));
    expect(report).toMatchObject({ imported: 1, typed: 0 });
  });
});
