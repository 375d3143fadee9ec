import { coalesceCalls } from '../../../infra/concurrency/coalesce-calls.ts';

test('runs do not overlap; calls during a run cause one further run', async () => {
  const runs: PromiseWithResolvers<void>[] = [];
  const call = coalesceCalls(() => {
    const run = Promise.withResolvers<void>();
    runs.push(run);
    return run.promise;
  });
  const first = call();
  const others = [call(), call(), call()];
  expect(runs).toHaveLength(1);
  runs[0]!.resolve();
  await new Promise((resolve) => setImmediate(resolve));
  expect(runs).toHaveLength(2);
  runs[1]!.resolve();
  await Promise.all([first, ...others]);
  expect(runs).toHaveLength(2);
});

test('a call after the last run starts a new run', async () => {
  let runs = 0;
  const call = coalesceCalls(async () => {
    runs += 1;
  });
  await call();
  await call();
  expect(runs).toBe(2);
});

test('a failed run rejects its waiting callers, and the next call starts a new run', async () => {
  const outcomes = [Promise.reject(new Error('no luck')), Promise.resolve()];
  const call = coalesceCalls(() => outcomes.shift()!);
  await expect(call()).rejects.toThrow('no luck');
  await call();
  expect(outcomes).toEqual([]);
});
