import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import type { DynamicProp } from '../../integrations/definition.ts';
import { describeProps, staticOptions } from '../../integrations/describe-props.ts';
import { publicSchema } from '../../integrations/public-schema.ts';

const schemaOf = (shape: z.ZodRawShape) => z.toJSONSchema(z.object(shape), { io: 'input' });
const typesOf = (shape: z.ZodRawShape, dynamic: Record<string, DynamicProp> = {}) =>
  Object.fromEntries(Object.entries(describeProps(schemaOf(shape), dynamic)).map(([name, { type }]) => [name, type]));

test('the kind of field follows from the schema and the name of the input', () => {
  expect(
    typesOf({
      title: z.string().max(1024),
      body: z.string().max(1025),
      image_url: z.string().max(8000),
      cursor: z.string().max(2000),
      day: z.iso.date(),
      moment: z.iso.datetime(),
      document: z.base64(),
      count: z.int(),
      on: z.boolean(),
      one: z.literal('x'),
      either: z.union([z.literal('a'), z.literal('b')]),
      any: z.json(),
      map: z.record(z.string(), z.string()),
      mixed: z.union([z.string(), z.array(z.string())]),
      texts: z.union([z.literal(''), z.string().min(3)]),
      shaped: z.string().meta({ 'x-prop-type': 'LONG_TEXT' }),
    }),
  ).toEqual({
    ...{ title: 'SHORT_TEXT', body: 'LONG_TEXT', image_url: 'SHORT_TEXT', cursor: 'SHORT_TEXT', day: 'DATE_TIME', moment: 'DATE_TIME' },
    ...{ document: 'FILE', count: 'NUMBER', on: 'CHECKBOX', one: 'STATIC_DROPDOWN', either: 'STATIC_DROPDOWN', any: 'JSON', map: 'OBJECT' },
    ...{ mixed: 'JSON', texts: 'SHORT_TEXT', shaped: 'LONG_TEXT' },
  });
});

test('a nullable value has the kind of the value', () => {
  expect(
    typesOf({
      text: z.string().nullable(),
      number: z.number().nullable(),
      choice: z.enum(['a']).nullable(),
      literals: z.union([z.literal('a'), z.literal('b')]).nullable(),
      list: z.array(z.string()).nullable(),
    }),
  ).toEqual({ text: 'SHORT_TEXT', number: 'NUMBER', choice: 'STATIC_DROPDOWN', literals: 'STATIC_DROPDOWN', list: 'ARRAY' });
  expect(staticOptions(schemaOf({ choice: z.enum(['a', 'b']).nullable() }).properties!.choice as never)).toEqual([
    { label: 'a', value: 'a' },
    { label: 'b', value: 'b' },
  ]);
});

describe('an input with choices from the third party', () => {
  const options: DynamicProp = { refreshers: ['team', 'mode'], options: async () => [] };
  const fields: DynamicProp = { refreshers: [], fields: async () => z.object({}) };
  const shape = {
    one: z.string(),
    many: z.array(z.string()),
    maybe: z.array(z.string()).nullable(),
    form: z.object({}),
    choice: z.enum(['a']),
  };

  test('is a select of one or of several values, or a group of fields', () => {
    const dynamic = { one: options, many: options, maybe: options, form: fields, choice: options };
    expect(typesOf(shape, dynamic)).toEqual({
      ...{ one: 'DROPDOWN', many: 'MULTI_SELECT_DROPDOWN', maybe: 'MULTI_SELECT_DROPDOWN', form: 'DYNAMIC', choice: 'DROPDOWN' },
    });
  });

  test('names the inputs that its choices depend on, and contains no choices', () => {
    const { one, choice } = describeProps(schemaOf(shape), { one: options, choice: options });
    expect(one).toMatchObject({ refreshers: ['team', 'mode'] });
    expect(choice?.options).toBeUndefined();
  });
});

test('a public schema has no keywords x-…; inputs and defaults with such names are kept', () => {
  const schema = schemaOf({
    'x-ray': z.string().meta({ 'x-in': 'query' }),
    list: z.array(z.object({ a: z.string().meta({ 'x-in': 'body' }) })),
    either: z.union([z.string().meta({ 'x-a': 1 }), z.number()]),
    map: z.record(z.string(), z.number().meta({ 'x-b': 2 })),
    fallback: z.unknown().default({ 'x-data': 1 }),
  });
  const text = JSON.stringify(publicSchema(schema));
  expect(text).toContain('"x-ray":{"type":"string"}');
  expect(text).toContain('"x-data":1');
  expect(text).not.toMatch(/"x-(?:in|a|b)"/);
});

test('a public schema has no keywords x-… within conditions either', () => {
  const noted = { type: 'string', 'x-in': 'body' };
  const single = ['contains', 'unevaluatedItems', 'unevaluatedProperties', 'if', 'then', 'else'];
  const schema = { ...Object.fromEntries(single.map((keyword) => [keyword, noted])), dependentSchemas: { a: noted } };
  const text = JSON.stringify(publicSchema(schema));
  expect([text.includes('x-in'), text.match(/"type":"string"/g)?.length]).toEqual([false, 7]);
});
