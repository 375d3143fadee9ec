import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import fc from 'fast-check';
import { declarations } from '../../../commands/catalogue/declarations.ts';
import type { JsonSchema } from '../../../integrations/catalog.ts';
import { typescriptComplaints } from '../../support/typescript-complaints.ts';

interface Sample {
  schema: JsonSchema;
  value: unknown;
}

const KEYS = ['a', 'b-c', 'class', 'ключ', '2x', 'with space', 'default', 'veryLongNameOfAField', '$ref', 'quote"'];
const validator = new AjvJsonSchemaValidator();

test('a value that the validator accepts has the declared type; a value with an extra or a missing key does not', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(root(), { minLength: 80, maxLength: 80 }), async (samples) => {
      const accepted = samples.filter(({ schema, value }) => accepts(schema, value));
      // The other values are invalid, because they fit both choices of a oneOf.
      expect(accepted.length).toBeGreaterThan(samples.length / 2);
      const actions = accepted.map(({ schema }, n) => ({
        spellings: [`act${n}`],
        action: { name: `act${n}`, description: '', inputSchema: schema, outputSchema: schema, dynamic: new Map() },
      }));
      const lines = accepted.flatMap(({ schema, value }, n) => [
        `await svc.a.act${n}(${JSON.stringify(value)});`,
        `const out${n}: Awaited<ReturnType<typeof svc.a.act${n}>> = ${JSON.stringify(value)};`,
        ...mistakes(schema, value).flatMap((wrong) => ['// @ts-expect-error', `await svc.a.act${n}(${JSON.stringify(wrong)});`]),
      ]);
      const declared = (['full', 'signatures'] as const).map((detail) =>
        declarations([{ spellings: ['a'], displayName: '', actions }], detail),
      );
      const [full, signatures] = declared.map((text) => `${text}\n${lines.join('\n')}`);
      expect(await typescriptComplaints({ full: full!, signatures: signatures! })).toEqual({});
    }),
    { numRuns: 3, endOnFailure: true },
  );
});

function accepts(schema: JsonSchema, value: unknown): boolean {
  return validator.getValidator(schema)(value).valid;
}

function mistakes(schema: JsonSchema, value: unknown): object[] {
  const fields = value as Record<string, unknown>;
  const wrong = [
    { ...fields, no_such_key: 1 },
    ...(schema.required as string[]).map((key) => Object.fromEntries(Object.entries(fields).filter(([other]) => other !== key))),
  ];
  for (const each of wrong) expect(accepts(schema, each)).toBe(false);
  return wrong;
}

function root(): fc.Arbitrary<Sample> {
  return fc.tuple(fields(2), fc.array(fc.boolean(), { minLength: KEYS.length, maxLength: KEYS.length })).map(([object, elsewhere]) => {
    const properties = Object.entries(object.schema.properties as Record<string, JsonSchema>);
    const $defs = Object.fromEntries(properties.filter((_, n) => elsewhere[n]).map(([key, schema]) => [`of ${key}`, schema]));
    const shown = properties.map(([key, schema], n) => [
      key,
      elsewhere[n] ? { $ref: `#/$defs/${encodeURIComponent(`of ${key}`)}` } : schema,
    ]);
    return { schema: { ...object.schema, properties: Object.fromEntries(shown), $defs }, value: object.value };
  });
}

function anything(depth: number): fc.Arbitrary<Sample> {
  if (depth === 0) return plain();
  return fc.oneof(plain(), list(depth), tuple(depth), record(depth), fields(depth), either(depth), both(depth), orNull(depth));
}

function plain(): fc.Arbitrary<Sample> {
  const literal = fc.oneof(fc.string({ maxLength: 8 }), fc.integer(), fc.boolean(), fc.constant(null));
  return fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 8 }).map((value) => ({ schema: { type: 'string' }, value })),
    fc.integer().map((value) => ({ schema: { type: 'integer', description: 'a number' }, value })),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => ({ schema: { type: 'number' }, value })),
    fc.boolean().map((value) => ({ schema: { type: 'boolean', default: true }, value })),
    literal.map((value) => ({ schema: { const: value }, value })),
    fc.uniqueArray(literal, { minLength: 1, maxLength: 4 }).map((values) => ({ schema: { enum: values }, value: values.at(-1) })),
    fc.jsonValue({ maxDepth: 1 }).map((value) => ({ schema: {}, value })),
  );
}

function list(depth: number): fc.Arbitrary<Sample> {
  return anything(depth - 1).chain((item) =>
    fc.nat(2).map((length) => ({ schema: { type: 'array', items: item.schema }, value: Array.from({ length }, () => item.value) })),
  );
}

function tuple(depth: number): fc.Arbitrary<Sample> {
  return fc.tuple(fc.array(anything(depth - 1), { minLength: 1, maxLength: 3 }), fc.nat(3), fc.boolean()).map(([items, needed, isFull]) => {
    const prefixItems = items.map(({ schema }) => schema);
    const minItems = Math.min(needed, items.length);
    const value = items.map((item) => item.value).slice(0, Math.max(minItems, items.length - 1));
    return { schema: { type: 'array', prefixItems, minItems, ...(isFull && { items: false }) }, value };
  });
}

function record(depth: number): fc.Arbitrary<Sample> {
  return fc.tuple(anything(depth - 1), fc.uniqueArray(fc.constantFrom(...KEYS), { maxLength: 3 })).map(([item, keys]) => ({
    schema: { type: 'object', additionalProperties: item.schema },
    value: Object.fromEntries(keys.map((key) => [key, item.value])),
  }));
}

function fields(depth: number): fc.Arbitrary<Sample> {
  const field = fc.record({ key: fc.constantFrom(...KEYS), is: anything(depth - 1), isRequired: fc.boolean(), isSent: fc.boolean() });
  return fc.uniqueArray(field, { selector: ({ key }) => key, minLength: 1, maxLength: 5 }).map((all) => ({
    schema: {
      type: 'object',
      properties: Object.fromEntries(all.map(({ key, is }) => [key, is.schema])),
      required: all.filter(({ isRequired }) => isRequired).map(({ key }) => key),
      additionalProperties: false,
    },
    value: Object.fromEntries(all.filter(({ isRequired, isSent }) => isRequired || isSent).map(({ key, is }) => [key, is.value])),
  }));
}

/** The value fits the second choice, and sometimes also the first. */
function either(depth: number): fc.Arbitrary<Sample> {
  return fc.tuple(anything(depth - 1), anything(depth - 1), fc.constantFrom('anyOf', 'oneOf')).map(([one, other, keyword]) => ({
    schema: { [keyword]: [one.schema, other.schema] },
    value: other.value,
  }));
}

function both(depth: number): fc.Arbitrary<Sample> {
  return fc.tuple(anything(depth - 1), anything(depth - 1)).map(([one, other]) => ({
    schema: {
      allOf: [
        { type: 'object', properties: { left: one.schema }, required: ['left'] },
        { type: 'object', properties: { right: other.schema } },
      ],
    },
    value: { left: one.value, right: other.value },
  }));
}

function orNull(depth: number): fc.Arbitrary<Sample> {
  return fc.tuple(anything(depth - 1), fc.boolean()).map(([{ schema, value }, isNull]) => ({
    schema: typeof schema.type === 'string' ? { ...schema, type: [schema.type, 'null'] } : { anyOf: [schema, { type: 'null' }] },
    value: isNull ? null : value,
  }));
}
