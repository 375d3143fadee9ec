import { VersionedCache } from '../../../infra/concurrency/versioned-cache.ts';

function counting() {
  let loads = 0;
  return async () => {
    loads += 1;
    return `load ${loads}`;
  };
}

test('callers of one version share a load, and a later version loads again', async () => {
  const cache = new VersionedCache<string>({ max: 10 });
  const load = counting();
  expect(await Promise.all([cache.get('a', 1, load), cache.get('a', 1, load)])).toEqual(['load 1', 'load 1']);
  expect(await cache.get('a', 2, load)).toBe('load 2');
  expect(await cache.get('a', 1, load)).toBe('load 2');
});

test('a failed load rejects its callers and is not kept', async () => {
  const cache = new VersionedCache<string>({ max: 10 });
  await expect(cache.get('a', 1, () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await cache.get('a', 1, counting())).toBe('load 1');
});

test('a late failure of an old load does not remove the value of a newer version', async () => {
  const cache = new VersionedCache<string>({ max: 10 });
  const { promise, reject } = Promise.withResolvers<string>();
  const early = cache.get('a', 1, () => promise);
  const load = counting();
  await cache.get('a', 2, load);
  reject(new Error('away'));
  await expect(early).rejects.toThrow('away');
  expect(await cache.get('a', 2, load)).toBe('load 1');
});

test('the least recently used values are dropped when the total size exceeds its limit', async () => {
  const cache = new VersionedCache<string>({ max: 10, size: { max: 15, of: ({ length }) => length } });
  const load = counting();
  for (const key of ['a', 'b', 'c']) await cache.get(key, 1, load);
  expect(await cache.get('c', 1, load)).toBe('load 3');
  expect(await cache.get('a', 1, load)).toBe('load 4');
});
