import { lazy } from '../../domain/lazy.ts';

test('the value is created once, on first use, also with concurrent callers', async () => {
  let count = 0;
  const get = lazy(async () => ({ number: ++count }));
  expect([count, get.current()]).toEqual([0, undefined]);
  const [first, second] = await Promise.all([get(), get()]);
  expect(second).toBe(first);
  expect(await get()).toBe(first);
  expect(await get.current()).toBe(first);
  expect(count).toBe(1);
});

test('a failure rejects all waiting callers; the next call tries again', async () => {
  let count = 0;
  const get = lazy(async () => {
    count += 1;
    if (count === 1) throw new Error('away');
    return count;
  });
  const failures = await Promise.allSettled([get(), get()]);
  expect(failures.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(get.current()).toBeUndefined();
  expect([await get(), await get()]).toEqual([2, 2]);
});
