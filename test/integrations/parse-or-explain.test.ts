import { z } from 'zod';
import { parseOrExplain } from '../../integrations/parse-or-explain.ts';

const issuesOf = (schema: z.ZodType, value: unknown, hiddenKeys?: string[]) => {
  const parsed = parseOrExplain(schema, value, hiddenKeys);
  return parsed.ok ? [] : parsed.issues.map(({ path, message }) => (path ? `${path}: ${message}` : message));
};

test.each([
  ['a missing key', z.object({ a: z.string() }), {}, 'a: missing key "a": expects a string'],
  ['nothing at all', z.object({}), undefined, 'expects an object'],
  ['a list instead of a map', z.object({ a: z.record(z.string(), z.unknown()) }), { a: [] }, 'a: expects an object'],
  ['a key that a map refuses', z.record(z.string().regex(/^b/, 'must start with b'), z.string()), { c: 'x' }, 'c: must start with b'],
  ['a value outside an enum', z.enum(['b', 'c']), 'd', 'expects one of "b", "c"'],
  ['an empty text', z.string().min(1), '', 'is too short: at least 1 character'],
  ['a long list', z.array(z.string()).max(2), ['', '', ''], 'is too long: at most 2 items'],
  ['a number at its open bound', z.number().lt(5), 5, 'is too large: less than 5'],
  ['an identifier', z.guid(), 'x', 'expects a UUID'],
  ['a schema with its own message', z.string().regex(/^a/, 'must start with a'), 'b', 'must start with a'],
  ['a check with its own message', z.string().refine(() => false, 'is not liked'), 'b', 'is not liked'],
])('%s is explained in plain words', (_, schema, value, words) => expect(issuesOf(schema, value)).toEqual([words]));

test('an unknown key is listed with the allowed keys at its path', () => {
  const schema = z.strictObject({
    a: z.strictObject({ b: z.string() }).optional(),
    list: z.array(z.strictObject({ c: z.string() })).optional(),
    none: z.strictObject({}).optional(),
  });
  expect(issuesOf(schema, { x: 1, a: { b: '', y: 1 }, list: [{ c: '', z: 1 }], none: { w: 1 } })).toEqual([
    'a.y: unknown key "y"; the keys are b',
    'list.0.z: unknown key "z"; the keys are c',
    'none.w: unknown key "w"; no key is possible here',
    'x: unknown key "x"; the keys are a, list, none',
  ]);
});

test('hidden keys are not listed as allowed; nested keys of the same name are listed', () => {
  const schema = z.strictObject({ a: z.strictObject({ a: z.string().optional() }).optional(), b: z.string().optional() });
  expect(issuesOf(schema, { x: 1, a: { y: 1 } }, ['a'])).toEqual([
    'a.y: unknown key "y"; the keys are a',
    'x: unknown key "x"; the keys are b',
  ]);
});

describe('a union', () => {
  const schema = z.object({ to: z.union([z.string(), z.strictObject({ name: z.string(), list: z.array(z.string()) })]) });

  test('lists every form if the value matches none', () => {
    expect(issuesOf(schema, { to: 5 })).toEqual(['to: expects a string, or expects an object']);
    expect(issuesOf(schema, {})).toEqual(['to: missing key "to": expects a string, or expects an object']);
  });

  test('lists the issues of the form that fits best', () => {
    expect(issuesOf(schema, { to: { nam: '', list: [5] } })).toEqual([
      'to.name: missing key "name": expects a string',
      'to.list.0: expects a string',
      'to.nam: unknown key "nam"; the keys are name, list',
    ]);
  });
});

describe('a discriminated union', () => {
  const common = { id: z.int(), label: z.string().optional() };
  const union = z.discriminatedUnion('type', [
    z.strictObject({ ...common, type: z.literal('a'), word: z.string() }),
    z.strictObject({ ...common, type: z.literal('b'), count: z.number() }),
  ]);

  test('lists only what is wrong under every option', () => {
    const expected = [
      'type: expects one of "a", "b"',
      'id: missing key "id": expects a number',
      'label: expects a string',
      'colour: unknown key "colour"; the keys are id, label, type, word, count',
    ];
    expect(issuesOf(union, { type: 'c', label: 5, colour: 1, word: 5 })).toEqual(expected);
    expect(issuesOf(z.object({ in: z.array(union) }), { in: [{ type: 'c', label: 5, colour: 1, count: 1 }] })).toEqual(
      expected.map((issue) => `in.0.${issue}`),
    );
  });

  test('reports a missing discriminator', () => {
    expect(issuesOf(union, { id: 1 })).toEqual(['type: missing key "type": expects one of "a", "b"']);
  });

  test('lists the issues of the chosen option', () => {
    expect(issuesOf(union, { type: 'b', id: 1, word: 'x' })).toEqual([
      'count: missing key "count": expects a number',
      'word: unknown key "word"; the keys are id, label, type, count',
    ]);
  });
});
