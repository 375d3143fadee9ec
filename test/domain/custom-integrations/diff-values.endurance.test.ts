import { diffValues } from '../../../domain/custom-integrations/diff-values.ts';
import { countDifferences, differencesAsJson, summarizeDifferences } from '../../../domain/custom-integrations/present-differences.ts';

const partsOf = (before: unknown, after: unknown) => [{ at: undefined, differences: diffValues(before, after) }];
const fieldsOf = (before: unknown, after: unknown) =>
  JSON.parse(differencesAsJson(partsOf(before, after), { offset: 0, limit: 10_000 })) as {
    path: string;
    before: unknown;
    after: unknown;
  }[];
const pathsOf = (before: unknown, after: unknown) => fieldsOf(before, after).map(({ path }) => path);

test.each([
  ['a value', { a: { b: 1 } }, { a: { b: 2 } }, [{ path: 'a.b', before: 1, after: 2 }]],
  ['a short list', { a: ['x', 'y'] }, { a: ['y'] }, [{ path: 'a', before: ['x', 'y'], after: ['y'] }]],
  ['a new value', { a: 1 }, { a: 1, b: { c: [1] } }, [{ path: 'b', before: null, after: { c: [1] } }]],
  ['a removed value', { a: 1, b: {} }, { a: 1 }, [{ path: 'b', before: {}, after: null }]],
  ['a value of another type', { a: [1] }, { a: { 0: 1 } }, [{ path: 'a', before: [1], after: { 0: 1 } }]],
  ['an added null', {}, { a: null }, [{ path: 'a', before: null, after: null, absent: 'before' }]],
  ['a removed null', { a: null }, {}, [{ path: 'a', before: null, after: null, absent: 'after' }]],
  ['no difference', { a: [{ b: null }] }, { a: [{ b: null }] }, []],
])('the reported differences: %s', (_, before, after, fields) => {
  expect(fieldsOf(before, after)).toEqual(fields);
});

test('a long list is compared item by item, even if the other side has no list', () => {
  const list = Array.from({ length: 500 }, (_, index) => ({ name: `parameter_${index}`, in: 'query' }));
  const changed = list.map((item, index) => (index === 321 ? { ...item, in: 'header' } : item));
  expect(fieldsOf({ list }, { list: changed })).toEqual([{ path: 'list[321].in', before: 'query', after: 'header' }]);
  const added = fieldsOf({}, { list });
  expect(added).toHaveLength(500);
  expect(added[7]).toEqual({ path: 'list[7]', before: null, after: list[7] });
  expect(pathsOf({ list }, { list: 'none' })).toHaveLength(501);
});

test('ambiguous keys are written in brackets, in ASCII', () => {
  const after = JSON.parse('{"a.b":1,"\u0430mount":2,"amount":3,"a\\u202eb":4,"":5,"x[0]":6,"__proto__":7,"constructor":{"prototype":8}}');
  expect(pathsOf({}, after)).toEqual([
    ...['["a.b"]', '["\\u0430mount"]', 'amount', '["a\\u202eb"]', '[""]', '["x[0]"]', '__proto__', 'constructor'],
  ]);
  expect(({} as Record<string, unknown>)['7']).toBeUndefined();
});

test('every difference is on exactly one page, with its whole value', () => {
  const after = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`field_${index}`, 'x'.repeat(index)]));
  const parts = partsOf({}, after);
  const read: { path: string; after: string }[] = [];
  let pages = 0;
  while (read.length < countDifferences(parts)) {
    const text = differencesAsJson(parts, { offset: read.length, limit: 100 });
    expect(text.length).toBeLessThan(1_010_000);
    read.push(...JSON.parse(text));
    pages += 1;
  }
  expect(Object.fromEntries(read.map((field) => [field.path, field.after]))).toEqual(after);
  expect(pages).toBeGreaterThanOrEqual(50);
  const long = partsOf('a', 'b'.repeat(2_000_000));
  expect(JSON.parse(differencesAsJson(long, { offset: 0, limit: 100 }))[0].after).toHaveLength(2_000_000);
  expect(differencesAsJson(long, { offset: 1, limit: 100 })).toBe('[]');
});

test('a summary is bounded, counts omitted differences, and marks cut values', () => {
  const many = summarizeDifferences(partsOf({}, Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`f${index}`, index]))));
  expect(many).toMatchObject({ fieldCount: 5000, isComplete: false });
  expect(many.fields).toHaveLength(100);
  const long = summarizeDifferences(partsOf('a'.repeat(50_000), `${'a'.repeat(50_000)}, and deletes everything`));
  expect(long).toMatchObject({ fieldCount: 1, isComplete: false, fields: [{ path: '', cut: true }] });
  expect(long.fields[0]!.after).toMatch(/^…a{100}, and deletes everything$/);
  expect(long.fields[0]!.before).toMatch(/^…a{100}$/);
  const wide = summarizeDifferences(
    partsOf({}, Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((key) => [key, key.repeat(1990)]))),
  );
  expect(JSON.stringify(wide.fields).length).toBeLessThan(15_000);
  expect(wide).toMatchObject({ fieldCount: 8, isComplete: false });
  expect(summarizeDifferences(partsOf({ a: 1 }, { a: 2 }))).toEqual({
    ...{ fields: [{ path: 'a', before: 1, after: 2 }], fieldCount: 1, isComplete: true },
  });
});

function counted(value: unknown, count: () => void): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return new Proxy(value, {
    get: (target, key) => {
      const inner = Reflect.get(target, key);
      if (typeof key === 'string' && Object.hasOwn(target, key) && key !== 'length') count();
      return counted(inner, count);
    },
  });
}

function nested(depth: number, last: unknown, wrap: (inner: unknown, width: number) => unknown): unknown {
  const width = 60_000 / depth;
  let value: unknown = { last };
  for (let level = 0; level < depth; level += 1) value = wrap(value, width);
  return value;
}

const WRAPS = {
  objects: (inner: unknown, width: number) => ({
    ...Object.fromEntries(Array.from({ length: width }, (_, index) => [`k${index}`, index])),
    inner,
  }),
  lists: (inner: unknown, width: number) => [...Array.from({ length: width }, (_, index) => index), inner],
};

test.each(['objects', 'lists'] as const)('each value is read once at any depth of nesting: %s', (kind) => {
  const reads = [4, 40, 200].map((depth) => {
    let count = 0;
    const side = (last: unknown) => counted(nested(depth, last, WRAPS[kind]), () => (count += 1));
    expect(diffValues(side(1), side(2))).toHaveLength(1);
    // Each side has 60,000 numbers, and `depth + 1` keys that lead to `last`.
    return count - 2 * (depth + 1);
  });
  expect(reads).toEqual([120_000, 120_000, 120_000]);
});

test('a deeply nested difference has its whole path', () => {
  const deep = (last: unknown) => nested(200, last, (inner) => ({ inner }));
  expect(pathsOf(deep(1), deep(2))).toEqual([`${'inner.'.repeat(200)}last`]);
});
