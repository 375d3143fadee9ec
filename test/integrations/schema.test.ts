import { describe, expect, test } from '@jest/globals';
import { inputSchema, outputSchema } from '../../integrations/schema/json-schema.ts';
import type { JsonSchema } from '../../integrations/schema/value-schema.ts';

const accepts = (schema: JsonSchema, value: unknown) => outputSchema(schema, { drops: false }).parse(value).ok;

const KEYWORDS: [string, JsonSchema, unknown[], unknown[]][] = [
  ['type', { type: 'integer' }, [1, 1.0, -3], [1.5, '1', null, true, []]],
  ['several types', { type: ['string', 'null'] }, ['a', null], [1, {}]],
  ['const and enum', { enum: [1, 'a', { b: [2] }] }, [1, 'a', { b: [2] }], [2, { b: [3] }, null]],
  ['bounds of numbers', { minimum: 1, exclusiveMaximum: 3, multipleOf: 0.1 }, [1, 2.9, 0.3 * 4], [0.9, 3, 1.05]],
  ['bounds of texts', { minLength: 2, maxLength: 3, pattern: '^[a-zü👍]+$' }, ['ab', 'üüü', '👍👍👍'], ['a', 'abcd', 'AB']],
  ['formats', { format: 'date-time' }, ['2026-01-15T09:30:00Z', '2026-01-15t09:30:00.5+01:00'], ['2026-02-30T09:30:00Z', '2026-01-15']],
  ['e-mail', { format: 'email' }, ['ada@example.com', 'a+b@x.co.uk'], ['ada', 'a@b', 'a b@x.com', 'a@x.com, b@x.com', 'a@-x.com']],
  ['arrays', { items: { type: 'number' }, minItems: 1, maxItems: 2, uniqueItems: true }, [[1], [1, 2]], [[], ['a'], [1, 1], [1, 2, 3]]],
  ['tuples', { prefixItems: [{ type: 'number' }], items: false }, [[], [1]], [['a'], [1, 2]]],
  ['contains', { contains: { const: 1 }, minContains: 1, maxContains: 2 }, [[1], [2, 1, 1]], [[], [2], [1, 1, 1]]],
  ['required', { required: ['a'], properties: { a: true } }, [{ a: null }, 'no object'], [{}, { b: 1 }]],
  ['additionalProperties', { properties: { a: {} }, additionalProperties: { type: 'number' } }, [{ a: 'x', b: 1 }], [{ b: 'x' }]],
  [
    'patternProperties',
    { patternProperties: { '^x-': { type: 'number' } }, additionalProperties: false },
    [{ 'x-a': 1 }],
    [{ a: 1 }, { 'x-a': 'b' }],
  ],
  [
    'propertyNames and sizes',
    { propertyNames: { maxLength: 2 }, minProperties: 1, maxProperties: 2 },
    [{ ab: 1 }],
    [{}, { abc: 1 }, { a: 1, b: 2, c: 3 }],
  ],
  ['dependentRequired', { dependentRequired: { a: ['b'] } }, [{ b: 1 }, { a: 1, b: 1 }], [{ a: 1 }]],
  ['dependentSchemas', { dependentSchemas: { a: { required: ['b'] } } }, [{}, { a: 1, b: 1 }], [{ a: 1 }]],
  ['allOf', { allOf: [{ required: ['a'] }, { required: ['b'] }] }, [{ a: 1, b: 1 }], [{ a: 1 }]],
  ['anyOf', { anyOf: [{ type: 'string' }, { minimum: 5 }] }, ['a', 6], [4]],
  ['oneOf', { oneOf: [{ multipleOf: 2 }, { multipleOf: 3 }] }, [2, 3], [6, 5]],
  ['not', { not: { type: 'string' } }, [1], ['a']],
  [
    'if, then, else',
    JSON.parse('{"if":{"properties":{"a":{"const":1}},"required":["a"]},"then":{"required":["b"]},"else":{"required":["c"]}}'),
    [{ a: 1, b: 1 }, { c: 1 }],
    [{ a: 1 }, {}],
  ],
  [
    'unevaluatedProperties',
    { allOf: [{ properties: { a: {} } }], properties: { b: {} }, unevaluatedProperties: false },
    [{ a: 1, b: 1 }],
    [{ c: 1 }],
  ],
  ['unevaluatedItems', { prefixItems: [{}], unevaluatedItems: false }, [[1]], [[1, 2]]],
  [
    'references',
    { $ref: '#/$defs/node', $defs: { node: { properties: { next: { $ref: '#/$defs/node' } }, additionalProperties: false } } },
    [{ next: { next: {} } }],
    [{ next: { other: 1 } }],
  ],
  ['anchors', { $ref: '#a', $defs: { x: { $anchor: 'a', type: 'string' } } }, ['a'], [1]],
];

describe('keywords of JSON Schema', () => {
  test.each(KEYWORDS)('%s', (_, schema, taken, refused) => {
    for (const value of taken) expect([value, accepts(schema, value)]).toEqual([value, true]);
    for (const value of refused) expect([value, accepts(schema, value)]).toEqual([value, false]);
  });
});

describe('error messages', () => {
  const schema = inputSchema({
    required: ['a', 'kind'],
    properties: {
      a: { type: 'string', maxLength: 3 },
      list: { type: 'array', items: { type: 'integer' }, maxItems: 1 },
      kind: { enum: ['x', 'y'] },
      either: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
      tagged: {
        anyOf: [
          { properties: { t: { const: 'p' } }, required: ['t', 'p'] },
          { properties: { t: { const: 'q' } }, required: ['t'] },
        ],
      },
      hidden: {},
    },
  });
  const issues = (value: unknown, hidden: string[] = []) => {
    const read = schema.parse(value, hidden);
    return read.ok ? [] : read.issues;
  };

  test.each<[unknown, string, string]>([
    [{ kind: 'x' }, 'a', 'missing key "a": expects a string'],
    [{ a: 'b' }, 'kind', 'missing key "kind": expects one of "x", "y"'],
    [{ a: 'bcde', kind: 'x' }, 'a', 'is too long: at most 3 characters'],
    [{ a: 1, kind: 'x' }, 'a', 'expects a string'],
    [{ a: 'b', kind: 'z' }, 'kind', 'expects one of "x", "y"'],
    [{ a: 'b', kind: 'x', list: [1.5] }, 'list.0', 'expects a whole number'],
    [{ a: 'b', kind: 'x', list: [1, 2] }, 'list', 'is too long: at most 1 item'],
    [{ a: 'b', kind: 'x', either: [1] }, 'either.0', 'expects a string'],
    [{ a: 'b', kind: 'x', either: 1 }, 'either', 'expects a string, or expects an array'],
    [{ a: 'b', kind: 'x', tagged: { t: 'r' } }, 'tagged.t', 'expects one of "p", "q"'],
    [{ a: 'b', kind: 'x', tagged: { t: 'p' } }, 'tagged.p', 'missing key "p": expects any JSON value'],
    [{ a: 'b', kind: 'x', c: 1 }, 'c', 'unknown key "c"; the keys are a, list, kind, either, tagged, hidden'],
    ['text', '', 'expects an object'],
  ])('%j', (value, path, message) => expect(issues(value)).toEqual([{ path, message }]));

  test('a hidden key is not listed as allowed', () => {
    expect(issues({ a: 'b', kind: 'x', c: 1 }, ['hidden'])[0]!.message).not.toContain('hidden');
  });

  test('a single field can be validated', () => {
    expect(schema.parseField('a', 'b')).toEqual({ ok: true, value: 'b' });
    expect(schema.parseField('a', undefined).ok).toBe(false);
    expect(schema.parseField('list', undefined)).toEqual({ ok: true, value: undefined });
    expect(schema.parseField('none', 1).ok).toBe(false);
  });
});

test('defaults are filled in at every depth, as separate copies', () => {
  const schema = inputSchema({ properties: { a: { default: [] }, b: { properties: { c: { default: 1 } } } } });
  const first = schema.parse({ b: {} });
  expect(first).toEqual({ ok: true, value: { a: [], b: { c: 1 } } });
  (first as unknown as { value: { a: number[] } }).value.a.push(1);
  expect(schema.parse({})).toEqual({ ok: true, value: { a: [] } });
});

describe('cleaning an answer', () => {
  const read = (schema: JsonSchema, value: unknown) => (outputSchema(schema).parse(value) as { value: unknown }).value;

  test('drops fields outside the schema, unless the schema allows any field or names none', () => {
    const schema = {
      properties: { a: { properties: { b: {} } }, any: { type: 'object' }, loose: { properties: {}, additionalProperties: true } },
    };
    expect(read(schema, { a: { b: 1, c: 2 }, any: { x: 1 }, loose: { y: 1 }, z: 1 })).toEqual({
      a: { b: 1 },
      any: { x: 1 },
      loose: { y: 1 },
    });
    expect(read({ allOf: [{ properties: { a: {} } }, { properties: { b: {} } }] }, { a: 1, b: 2, c: 3 })).toEqual({ a: 1, b: 2 });
  });

  test('drops the null of an optional field if the schema of the field forbids null', () => {
    const schema = {
      required: ['c'],
      properties: { a: { type: 'string' }, b: { type: ['string', 'null'] }, c: { type: ['string', 'null'] } },
    };
    expect(read(schema, { a: null, b: null, c: null })).toEqual({ b: null, c: null });
    expect(read(schema, { a: undefined, c: 'x' })).toEqual({ c: 'x' });
    expect(outputSchema({ required: ['a'], properties: { a: { type: 'string' } } }).parse({ a: null }).ok).toBe(false);
  });
});

describe('hostile schemas and values', () => {
  test.each<[string, JsonSchema, unknown]>([
    ['a reference to itself', { $ref: '#' }, 1],
    ['circular references', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }, 1],
    [
      'exponentially nested alternatives',
      {
        $ref: '#/$defs/d0',
        $defs: Object.fromEntries(
          Array.from({ length: 40 }, (_, i) => [`d${i}`, { oneOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] }]),
        ),
      },
      1,
    ],
  ])('%s is refused after limited work', (_, schema, value) => {
    const before = process.threadCpuUsage();
    const parsed = outputSchema(schema).parse(value);
    const { user, system } = process.threadCpuUsage(before);
    expect(parsed).toEqual({ ok: false, issues: [{ path: '', message: 'is too complex to be checked against its schema' }] });
    expect((user + system) / 1000).toBeLessThan(5000);
  });

  test('a pattern that backtracks catastrophically in other engines is matched in linear time', () => {
    const before = process.threadCpuUsage();
    expect(accepts({ pattern: '^(a+)+$' }, `${'a'.repeat(5000)}!`)).toBe(false);
    const { user, system } = process.threadCpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(5000);
  });

  test('names of prototype properties are ordinary keys', () => {
    const schema = inputSchema({ properties: { a: {} } });
    for (const name of ['__proto__', 'constructor', 'toString']) {
      expect(schema.parse(JSON.parse(`{"${name}":1}`))).toMatchObject({ ok: false, issues: [{ path: name }] });
    }
    expect(inputSchema({ required: ['toString'], properties: {} }).parse({}).ok).toBe(false);
  });
});
