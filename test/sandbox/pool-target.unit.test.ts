import { PoolTarget } from '../../sandbox/host/pool-target.ts';

afterEach(() => void jest.useRealTimers());

test('a pool target grows by one per shortage up to its maximum', () => {
  const target = new PoolTarget({ least: 1, most: 3, calmMs: 60_000 }, () => {});
  const sizes = [1, 2, 3, 4].map(() => {
    target.grow();
    return target.size;
  });
  expect(sizes).toEqual([2, 3, 3, 3]);
  target.close();
});

test('a shortage at the maximum restarts the idle period', async () => {
  jest.useFakeTimers();
  const target = new PoolTarget({ least: 1, most: 2, calmMs: 1000 }, () => {});
  target.grow();
  await jest.advanceTimersByTimeAsync(600);
  target.grow();
  await jest.advanceTimersByTimeAsync(600);
  expect(target.size).toBe(2);
  await jest.advanceTimersByTimeAsync(400);
  expect(target.size).toBe(1);
  target.close();
});

test('a pool target shrinks by one per idle period down to its minimum', async () => {
  const seen: number[] = [];
  const atLeast = Promise.withResolvers<void>();
  const target = new PoolTarget({ least: 1, most: 3, calmMs: 5 }, () => {
    seen.push(target.size);
    if (target.size === 1) atLeast.resolve();
  });
  target.grow();
  target.grow();
  // The idle timer alone does not keep a process running.
  const awake = setInterval(() => {}, 1000);
  await atLeast.promise;
  clearInterval(awake);
  expect(seen).toEqual([2, 1]);
});
