import { document, jsonAnswer, read, reversed } from './read.ts';

async function inBothOrders(given: object) {
  const first = await read(given);
  const names = new Map(first.packed.actions.map(({ source, name }) => ['operation' in source ? source.operation : '', name]));
  const second = await read(reversed(given) as object, {}, { names });
  return [first, second].map(({ packed }) => ({
    actions: Object.fromEntries(packed.actions.map(({ name, hash }) => [name, hash]).sort()),
    methods: (packed.head.auth ?? []).map(({ key }) => key).sort(),
    baseUrl: packed.head.baseUrl,
    definitions: Object.keys(packed.definitions).sort(),
  }));
}

const text = { type: 'string' };
const query = (name: string) => ({ name, in: 'query', schema: text });
const pet = { type: 'object', properties: { id: text, tag: { type: 'object', default: { a: 1, b: 2 } } }, required: ['id', 'tag'] };
const refersTo = (reference: string) => jsonAnswer({ $ref: reference });

test.each<[string, object]>([
  ['parameters', document({ '/a': { parameters: [query('x')], get: { parameters: [query('b'), query('a')], responses: {} } } })],
  [
    'properties of a body',
    document({ '/a': { post: { requestBody: { content: { 'application/json': { schema: pet } } }, responses: {} } } }),
  ],
  [
    'media types of a body and of an answer',
    document({
      '/a': {
        post: {
          requestBody: { content: { 'application/b+json': { schema: pet }, 'application/a+json': { schema: text } } },
          responses: { 200: { content: { 'text/plain': {}, 'application/xml': {}, 'application/json': { schema: pet } } } },
        },
      },
    }),
  ],
  [
    'names of shared schemas',
    document(
      {
        '/a': { get: refersTo('#/components/schemas/Pet') },
        '/b': { get: refersTo('#/components/x-others/Pet') },
        '/c': { get: refersTo('#/components/x-more/Pet') },
      },
      { components: { schemas: { Pet: pet, 'a/b': pet, a_b: text }, 'x-others': { Pet: text }, 'x-more': { Pet: pet } } },
    ),
  ],
  [
    'a shared schema with a default, first of an answer, then of a body',
    document(
      {
        '/a': { get: refersTo('#/components/schemas/Pet') },
        '/b': {
          post: {
            requestBody: { content: { 'application/json': { schema: { type: 'array', items: { $ref: '#/components/schemas/Pet' } } } } },
            responses: {},
          },
        },
      },
      { components: { schemas: { Pet: pet } } },
    ),
  ],
  [
    'ways to authenticate',
    document(
      {
        '/a': { get: { security: [{ first: [] }], responses: {} } },
        '/b': { get: { security: [{ second: [], third: [] }], responses: {} } },
      },
      {
        components: {
          securitySchemes: {
            first: { type: 'http', scheme: 'bearer' },
            second: { type: 'apiKey', in: 'header', name: 'x-b' },
            third: { type: 'apiKey', in: 'header', name: 'x-a' },
          },
        },
      },
    ),
  ],
  [
    'servers of operations',
    document(
      {
        '/a': { get: { servers: [{ url: 'https://api.example/b' }], responses: {} } },
        '/b': { get: { servers: [{ url: 'https://api.example/a' }], responses: {} } },
      },
      { servers: undefined },
    ),
  ],
])('the order of keys and parameters has no effect: %s', async (_, given) => {
  const [first, second] = await inBothOrders(given);
  expect(Object.keys(first!.actions).length).toBeGreaterThan(0);
  expect(second).toEqual(first);
});

test('the order of keys and parameters has no effect on which schemas are cut', async () => {
  const large = (reference: string) => ({
    type: 'object',
    description: 'x'.repeat(1000),
    properties: Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`p${index}`, { ...text, description: 'y'.repeat(1500) }])),
    ...(reference && { additionalProperties: { $ref: reference } }),
  });
  const schemas = { A: large('#/components/schemas/C'), B: large('#/components/schemas/D'), C: large(''), D: large('') };
  const both = { type: 'object', properties: { b: { $ref: '#/components/schemas/B' }, a: { $ref: '#/components/schemas/A' } } };
  const [first, second] = await inBothOrders(document({ '/a': { get: jsonAnswer(both) } }, { components: { schemas } }));
  expect(second).toEqual(first);
});

test('a schema gets a hash in its name, unless it is under components/schemas', async () => {
  const given = document(
    { '/a': { get: refersTo('#/components/x-others/Pet') }, '/b': { get: refersTo('#/components/schemas/Pet') } },
    { components: { schemas: { Pet: pet }, 'x-others': { Pet: pet } } },
  );
  const { packed } = await read(given);
  expect(packed.actions.map(({ uses }) => Object.keys(uses.output))).toEqual([[expect.stringMatching(/^Pet_[0-9a-f]{8}$/)], ['Pet']]);
});
