import { keepSuccess } from '../../domain/keep-success.ts';

test('it is made once, when it is first needed, also for those who ask at the same time', async () => {
  let count = 0;
  const get = keepSuccess(async () => ({ number: ++count }));
  expect([count, get.current()]).toEqual([0, undefined]);
  const [first, second] = await Promise.all([get(), get()]);
  expect(second).toBe(first);
  expect(await get()).toBe(first);
  expect(await get.current()).toBe(first);
  expect(count).toBe(1);
});

test('a failure is told to all who waited, and the next one tries anew', async () => {
  let count = 0;
  const get = keepSuccess(async () => {
    count += 1;
    if (count === 1) throw new Error('away');
    return count;
  });
  const failures = await Promise.allSettled([get(), get()]);
  expect(failures.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(get.current()).toBeUndefined();
  expect([await get(), await get()]).toEqual([2, 2]);
});
