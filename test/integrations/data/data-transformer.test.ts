import { describe, expect, test } from '@jest/globals';
import { issuesOf, runAction } from '../run-action.ts';

const data = {
  user: { name: 'Ada', tags: ['a', 'b'] },
  items: [
    { id: 1, price: 5 },
    { id: 2, price: 15 },
  ],
};

describe('transform_json', () => {
  test('a path to one place gives a value or null, and a path to several places a list', async () => {
    const mapping = {
      ...{ name: '$.user.name', second: "$['items'][1].id", last: '$.items[-1].id', nothing: '$.user.age', root: '$' },
      ...{
        ids: '$.items[*].id',
        cheap: '$.items[?@.price < 10].id',
        none: '$.items[?@.price > 99]',
        deep: '$..id',
        slice: '$.items[0:1].id',
        both: '$["user","items"]',
      },
    };
    expect(await runAction('data-transformer.transform_json', { input: data, mapping })).toEqual({
      result: {
        ...{ name: 'Ada', second: 2, last: 2, nothing: null, root: data },
        ...{ ids: [1, 2], cheap: [1], none: [], deep: [1, 2], slice: [1], both: [data.user, data.items] },
      },
    });
  });

  test.each([
    [[1, 2], '$[1]', 2],
    ['text', '$', 'text'],
    [null, '$.a', null],
    [5, '$[0]', null],
  ])('the input can be any JSON value: %j', async (input, path, expected) =>
    expect(await runAction('data-transformer.transform_json', { input, mapping: { x: path } })).toEqual({ result: { x: expected } }),
  );

  test.each(['', 'user.name', '$.', '$.a[', '$.items[?@.price <]', '$.a b'])('%j is not a valid path and is refused', (path) => {
    const mapping = { fine: '$.user', x: path, y: path };
    expect(issuesOf('data-transformer.transform_json', { input: data, mapping }).map((issue) => issue.path)).toEqual([
      'mapping.x',
      'mapping.y',
    ]);
  });

  test('paths of more than 10,000 characters together are refused', () => {
    const nested = `$${'[?@'.repeat(249)}${']'.repeat(249)}`;
    const mapping = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`f${i}`, nested]));
    const issues = issuesOf('data-transformer.transform_json', { input: {}, mapping });
    expect(issues).toEqual([{ path: 'mapping', message: 'holds more than 10000 characters of paths together' }]);
    expect(issuesOf('data-transformer.transform_json', { input: {}, mapping: { x: '$.a' } })).toEqual([]);
  });

  test('inherited properties are not data, and no field changes a prototype', async () => {
    const mapping = { constructor: '$.constructor', toString: '$.toString', length: '$.items.length' };
    expect(await runAction('data-transformer.transform_json', { input: data, mapping })).toEqual({
      result: { constructor: null, toString: null, length: null },
    });
    const input = JSON.parse('{"__proto__":{"polluted":1}}');
    expect((await runAction('data-transformer.transform_json', { input, mapping: { all: '$' } })).result).toEqual({ all: input });
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test.each([
    ['a pattern with catastrophic backtracking', [`${'a'.repeat(60)}b`], '$[?match(@, "(a+)+c")]'],
    ['a path that multiplies', Array.from({ length: 40 }).reduce<unknown[]>((inner) => [inner, 1], []), '$..*..*..*..*..*..*'],
    ['a filter with quadratic cost', Array.from({ length: 20_000 }, (_, i) => ({ i })), '$[?count($..i) < 0]'],
  ])('%s is stopped, and the next call works', async (_, input, path) => {
    await expect(runAction('data-transformer.transform_json', { input, mapping: { x: path } })).rejects.toMatchObject({
      code: 'ACTION_FAILED',
      message: expect.stringMatching(/stopped|larger/),
    });
    expect(await runAction('data-transformer.transform_json', { input: data, mapping: { x: '$.user.name' } })).toEqual({
      result: { x: 'Ada' },
    });
  });

  test('a result that repeats the input many times is refused', async () => {
    const path = `$[${Array.from({ length: 200 }, () => '"a"').join(',')}]`;
    await expect(
      runAction('data-transformer.transform_json', { input: { a: 'x'.repeat(100_000) }, mapping: { x: path } }),
    ).rejects.toMatchObject({ message: expect.stringContaining('1 MB') });
  });
});

describe('merge_objects', () => {
  const objects = [
    { a: 1, deep: { x: 1, list: [1] }, gone: null },
    { a: null, deep: { y: 2, list: [2] }, gone: 'here' },
    { b: 3, deep: { x: 9 } },
  ];

  test.each([
    ['deep', { a: null, b: 3, deep: { x: 9, y: 2, list: [2] }, gone: 'here' }],
    ['shallow', { a: null, b: 3, deep: { x: 9 }, gone: 'here' }],
    ['first', { a: 1, b: 3, deep: { x: 1, list: [1] }, gone: 'here' }],
    ['last', { a: 1, b: 3, deep: { x: 9 }, gone: 'here' }],
  ])('%s', async (strategy, result) => {
    expect(await runAction('data-transformer.merge_objects', { objects, strategy })).toEqual({ result });
    if (strategy === 'deep') expect(await runAction('data-transformer.merge_objects', { objects })).toEqual({ result });
  });

  test('a value that is not an object replaces what was merged before it', async () => {
    expect(await runAction('data-transformer.merge_objects', { objects: [{ a: { x: 1 } }, { a: 5 }, { a: { y: 2 } }] })).toEqual({
      result: { a: { y: 2 } },
    });
  });

  test('__proto__ is dropped, constructor is an ordinary field, and no prototype changes', async () => {
    const evil = [
      '{"__proto__":{"polluted":1},"a":{"__proto__":{"polluted":1},"k":1}}',
      '{"constructor":{"prototype":{"polluted":1}},"a":{"__proto__":{"polluted":2}}}',
    ].map((text) => JSON.parse(text));
    const { result } = await runAction('data-transformer.merge_objects', { objects: evil });
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(Object.getPrototypeOf(result)).toBe(Object.getPrototypeOf(Object.fromEntries([])));
    expect(JSON.stringify(result)).toBe('{"a":{"k":1},"constructor":{"prototype":{"polluted":1}}}');
  });

  test.each([
    [{ objects: [] }],
    [{ objects: [1] }],
    [{ objects: [[]] }],
    [{ objects: {} }],
    [{ objects: [{}], strategy: 'mix' }],
    [{ objects: Array.from({ length: 1001 }, () => ({})) }],
  ])('input %# is refused', (input) => expect(issuesOf('data-transformer.merge_objects', input)).not.toEqual([]));
});

describe('filter_array', () => {
  const array = [
    { id: 1, price: 5, tag: 'a', at: '2026-01-01', user: { name: 'Ada' } },
    { id: 2, price: 15, tag: 'b', at: '2026-02-01', user: { name: 'Bob' } },
    { id: 3, price: '15', tag: null, at: '2026-03-01' },
    'text',
    null,
  ];

  test.each([
    [{ tag: 'a' }, [1]],
    [{ tag: null }, [3]],
    [{ user: { name: 'Bob' } }, [2]],
    [{ 'user.name': 'Ada' }, [1]],
    [{ price: { $gt: 5 } }, [2]],
    [{ price: { $gte: 5 } }, [1, 2]],
    [{ price: { $gte: 5, $lt: 15 } }, [1]],
    [{ price: { $lte: 15 } }, [1, 2]],
    [{ at: { $gte: '2026-02-01' } }, [2, 3]],
    [{ id: { $in: [1, 3] } }, [1, 3]],
    [{ id: { $in: [] } }, []],
    [{ id: 1, tag: 'b' }, []],
    [{ 'constructor.name': 'Object' }, []],
  ])('%j keeps %j', async (conditions, ids) => {
    const { items, count } = (await runAction('data-transformer.filter_array', { array, conditions })) as {
      items: { id: number }[];
      count: number;
    };
    expect(items.map(({ id }) => id)).toEqual(ids);
    expect(count).toBe(ids.length);
  });

  test('$ne and $nin match items without the field; empty conditions keep everything', async () => {
    expect((await runAction('data-transformer.filter_array', { array, conditions: { id: { $ne: 1 } } })).count).toBe(4);
    expect((await runAction('data-transformer.filter_array', { array, conditions: { id: { $nin: [1, 2] } } })).count).toBe(3);
    expect((await runAction('data-transformer.filter_array', { array, conditions: {} })).count).toBe(5);
  });

  test('objects are equal in any order of their fields, and values of different types differ', async () => {
    const array = [{ v: { a: 1, b: [2] } }, { v: '1' }, { v: 1 }, { v: null }, {}];
    const kept = async (conditions: object) => (await runAction('data-transformer.filter_array', { array, conditions })).items;
    expect(await kept({ v: { $in: [{ b: [2], a: 1 }, 1] } })).toEqual([array[0], array[2]]);
    expect(await kept({ v: { b: [2], a: 1 } })).toEqual([array[0]]);
    expect(await kept({ v: { $nin: ['1', null] } })).toEqual([array[0], array[2], array[4]]);
    expect(await kept({ v: { $ne: { a: 1 } } })).toEqual(array);
  });

  test('comparing 8,000 items with 8,000 values ends within the time limit', async () => {
    const array = Array.from({ length: 8000 }, (_, i) => ({ a: { b: i } }));
    const absent = Array.from({ length: 8000 }, (_, i) => ({ b: i + 0.5 }));
    const kept = async (conditions: object) => (await runAction('data-transformer.filter_array', { array, conditions })).count;
    expect(await kept({ a: { $nin: absent } })).toBe(8000);
    expect(await kept({ a: { $in: [...absent, { b: 7 }] } })).toBe(1);
  });

  test('expensive conditions are stopped, and the next call works', async () => {
    const array = Array.from({ length: 100_000 }, () => ({}));
    const conditions = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`${'x.'.repeat(200)}${i}`, { $ne: 1 }]));
    await expect(runAction('data-transformer.filter_array', { array, conditions })).rejects.toMatchObject({
      code: 'ACTION_FAILED',
      message: expect.stringContaining('stopped'),
    });
    expect((await runAction('data-transformer.filter_array', { array, conditions: {} })).count).toBe(100_000);
  });

  test.each([
    [
      { id: { $regex: 'x' } },
      'unknown operator "$regex"; the operators are $gt, $gte, $lt, $lte, $ne, $in, $nin. To test for equality, write the value itself',
    ],
    [
      { id: { $gt: 1, min: 2 } },
      'unknown operator "min"; the operators are $gt, $gte, $lt, $lte, $ne, $in, $nin. To test for equality, write the value itself',
    ],
    [
      { id: { $constructor: 1 } },
      'unknown operator "$constructor"; the operators are $gt, $gte, $lt, $lte, $ne, $in, $nin. To test for equality, write the value itself',
    ],
    [{ id: { $in: 1 } }, '$in expects an array'],
    [
      { id: { gt: 1, eq: 2 } },
      '"gt", "eq" must begin with $. The operators are $gt, $gte, $lt, $lte, $ne, $in, $nin. To compare with this very object, write { "$in": [<object>] }',
    ],
    [{ $or: [{ id: 1 }] }, '"$or" is no field. Every condition must hold. For one of several values use $in; otherwise filter in code'],
    [{ $gt: 1 }, '"$gt" is no field; write { <field>: { "$gt": … } }'],
  ])('%j is refused with an explanation', (conditions, message) =>
    expect(issuesOf('data-transformer.filter_array', { array, conditions })).toEqual([
      { path: `conditions.${Object.keys(conditions)[0]}`, message },
    ]),
  );

  test('$in compares values that look like operators, and unknown names with $ are plain fields', async () => {
    const array = [{ range: { gte: 1, lt: 5 } }, { range: { gte: 1, max: 5 } }, { range: {} }, { $ref: 'a' }];
    const kept = async (conditions: object) => (await runAction('data-transformer.filter_array', { array, conditions })).items;
    expect(await kept({ range: { $in: [{ gte: 1, lt: 5 }] } })).toEqual([array[0]]);
    expect(await kept({ 'range.gte': 1, 'range.lt': 5 })).toEqual([array[0]]);
    expect(await kept({ range: { gte: 1, max: 5 } })).toEqual([array[1]]);
    expect(await kept({ range: {} })).toEqual([array[2]]);
    expect(await kept({ $ref: 'a' })).toEqual([array[3]]);
  });
});

describe('batch_array', () => {
  test.each([
    [[1, 2, 3, 4, 5], 2, [[1, 2], [3, 4], [5]]],
    [[1, 2], 2, [[1, 2]]],
    [[1], 100, [[1]]],
    [[], 3, []],
  ])('%j in batches of %i', async (array, batchSize, batches) =>
    expect(await runAction('data-transformer.batch_array', { array, batchSize })).toEqual({ batches, count: batches.length }),
  );

  test.each([0, -1, 1.5, '2', 100_001])('a batch size of %j is refused', (batchSize) =>
    expect(issuesOf('data-transformer.batch_array', { array: [], batchSize })).toHaveLength(1),
  );
});
