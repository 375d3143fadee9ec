import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { issuesOf } from './run-action.ts';
import { openStateBed } from './state-bed.ts';

let bed: Awaited<ReturnType<typeof openStateBed>>;
beforeAll(async () => {
  bed = await openStateBed();
});
afterAll(() => bed.close());

describe('put, get, delete', () => {
  test.each([
    ...[null, true, 0, -1.5e300, '', 'text', [], {}, [1, [2, { a: null }]], { deep: { er: [1] } }],
    ...['\u0000', 'a\u0000b\u001f', '\u{1f600}', { 'key\u0000': '\\u0000' }, '\\', "'; drop table kv_entries; --"],
  ])('the value %j is returned unchanged', async (value) => {
    expect(await bed.run('kv-store.put', { key: 'any', value })).toEqual({ key: 'any', stored: true });
    expect(await bed.run('kv-store.get', { key: 'any' })).toEqual({ key: 'any', found: true, value });
  });

  test('the fields of a value keep their order, even with names like __proto__', async () => {
    const value = JSON.parse('{"b":1,"a":2,"__proto__":{"x":1},"constructor":3}');
    await bed.run('kv-store.put', { key: 'odd', value });
    expect(JSON.stringify((await bed.run('kv-store.get', { key: 'odd' })).value)).toBe(JSON.stringify(value));
  });

  test('put replaces a value, delete says whether a value existed, and get returns null for a missing key', async () => {
    await bed.run('kv-store.put', { key: 'k', value: 1 });
    await bed.run('kv-store.put', { key: 'k', value: 2 });
    expect(await bed.run('kv-store.get', { key: 'k' })).toMatchObject({ value: 2 });
    expect(await bed.run('kv-store.delete', { key: 'k' })).toEqual({ key: 'k', deleted: true });
    expect(await bed.run('kv-store.delete', { key: 'k' })).toEqual({ key: 'k', deleted: false });
    expect(await bed.run('kv-store.get', { key: 'k' })).toEqual({ key: 'k', found: false, value: null });
  });

  test('case, spaces and Unicode forms of keys make a difference', async () => {
    await bed.run('kv-store.put', { key: 'é', value: 1 });
    for (const key of ['É', 'é ', 'e\u0301']) expect(await bed.run('kv-store.get', { key })).toMatchObject({ found: false });
  });

  test('a value of 1 MB of JSON is stored, and a larger value is refused', async () => {
    const value = 'x'.repeat(1024 * 1024 - 2);
    await bed.run('kv-store.put', { key: 'large', value });
    expect((await bed.run('kv-store.get', { key: 'large' })).value).toBe(value);
    await expect(bed.run('kv-store.put', { key: 'large', value: `${value}x` })).rejects.toMatchObject({
      code: 'ACTION_FAILED',
      message: expect.stringContaining('1048576 bytes'),
    });
  });

  test.each([['k'.repeat(512)], ['é'.repeat(256)], ['__proto__'], ['a/b:c d']])('the key %j is accepted', async (key) => {
    await bed.run('kv-store.put', { key, value: key });
    expect(await bed.run('kv-store.get', { key })).toMatchObject({ value: key });
  });

  test.each([[''], ['k'.repeat(513)], ['é'.repeat(257)], ['a\u0000b'], ['a\nb'], [5], [null]])('the key %j is refused', (key) => {
    for (const action of ['get', 'delete'] as const)
      expect(issuesOf(`kv-store.${action}`, { key }).map(({ path }) => path)).toEqual(['key']);
  });

  test('a put without a value is refused, and null is a value', () => {
    expect(issuesOf('kv-store.put', { key: 'k' }).map(({ path }) => path)).toEqual(['value']);
    expect(issuesOf('kv-store.put', { key: 'k', value: null })).toEqual([]);
  });
});

describe('lists', () => {
  test('the first item creates the list, items are added at the end, and equal items are removed', async () => {
    const key = 'list';
    for (const [i, value] of [{ a: 1 }, 'x', { a: 1 }, null].entries()) {
      expect(await bed.run('kv-store.add_to_list', { key, value })).toEqual({ key, length: i + 1 });
    }
    expect((await bed.run('kv-store.get', { key })).value).toEqual([{ a: 1 }, 'x', { a: 1 }, null]);
    expect(await bed.run('kv-store.remove_from_list', { key, value: { a: 1 } })).toEqual({ key, removed: 2, length: 2 });
    expect(await bed.run('kv-store.remove_from_list', { key, value: 'y' })).toEqual({ key, removed: 0, length: 2 });
    expect((await bed.run('kv-store.get', { key })).value).toEqual(['x', null]);
  });

  test('removing from a missing list succeeds and creates no list', async () => {
    expect(await bed.run('kv-store.remove_from_list', { key: 'none', value: 1 })).toEqual({ key: 'none', removed: 0, length: 0 });
    expect(await bed.run('kv-store.get', { key: 'none' })).toMatchObject({ found: false });
  });

  test('adding to or removing from a value that is not a list is refused', async () => {
    await bed.run('kv-store.put', { key: 'object', value: { length: 0 } });
    for (const action of ['add_to_list', 'remove_from_list'] as const) {
      await expect(bed.run(`kv-store.${action}`, { key: 'object', value: 1 })).rejects.toMatchObject({
        code: 'ACTION_FAILED',
        message: expect.stringContaining('not a list'),
      });
    }
    expect((await bed.run('kv-store.get', { key: 'object' })).value).toEqual({ length: 0 });
  });

  test('a hundred concurrent additions, and a hundred concurrent additions and removals, all take effect', async () => {
    const numbers = Array.from({ length: 100 }, (_, i) => i);
    await Promise.all(numbers.map((value) => bed.run('kv-store.add_to_list', { key: 'race', value })));
    expect(((await bed.run('kv-store.get', { key: 'race' })).value as number[]).toSorted((a, b) => a - b)).toEqual(numbers);
    const odd = numbers.filter((n) => n % 2 === 1);
    await Promise.all([
      ...odd.map((value) => bed.run('kv-store.remove_from_list', { key: 'race', value })),
      ...odd.map((value) => bed.run('kv-store.add_to_list', { key: 'race', value: value + 1000 })),
    ]);
    const expected = [...numbers.filter((n) => n % 2 === 0), ...odd.map((n) => n + 1000)];
    expect(((await bed.run('kv-store.get', { key: 'race' })).value as number[]).toSorted((a, b) => a - b)).toEqual(
      expected.toSorted((a, b) => a - b),
    );
  });

  test('a list has at most 10,000 items and 1 MB, and a full list stays unchanged', async () => {
    await bed.run('kv-store.put', { key: 'full', value: Array.from({ length: 9_999 }, (_, i) => i) });
    expect(await bed.run('kv-store.add_to_list', { key: 'full', value: 'last' })).toMatchObject({ length: 10_000 });
    await expect(bed.run('kv-store.add_to_list', { key: 'full', value: 'more' })).rejects.toMatchObject({
      code: 'ACTION_FAILED',
      message: expect.stringContaining('full'),
    });

    await bed.run('kv-store.put', { key: 'heavy', value: ['x'.repeat(1024 * 1024 - 10)] });
    await expect(bed.run('kv-store.add_to_list', { key: 'heavy', value: 'too much' })).rejects.toMatchObject({ code: 'ACTION_FAILED' });
    expect((await bed.run('kv-store.get', { key: 'heavy' })).value).toHaveLength(1);
  });
});
