import { shareCalls } from '../../../infra/concurrency/share-calls.ts';
import { until } from '../../support/until.ts';

function openWork() {
  const runs: { caller: number; end: (result: string) => void; fail: (error: Error) => void }[] = [];
  const workOf = (caller: number) => () => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    runs.push({ caller, end: resolve, fail: reject });
    return promise;
  };
  return { runs, workOf };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('calls that arrive during a run share the next run', async () => {
  const { runs, workOf } = openWork();
  const call = shareCalls<string>();
  const results = [1, 2, 3].map((caller) => call('list', workOf(caller)));
  expect(runs.map(({ caller }) => caller)).toEqual([1]);
  runs[0]!.end('before');
  await settled();
  expect(runs.map(({ caller }) => caller)).toEqual([1, 2]);
  runs[1]!.end('after');
  expect(await Promise.all(results)).toEqual(['before', 'after', 'after']);
});

test('a call does not wait for calls with other keys', async () => {
  const { runs, workOf } = openWork();
  const call = shareCalls<string>();
  const results = [call('one', workOf(1)), call('other', workOf(2))];
  expect(runs).toHaveLength(2);
  for (const [place, { end }] of runs.entries()) end(`result ${place}`);
  expect(await Promise.all(results)).toEqual(['result 0', 'result 1']);
});

test('an error rejects the callers that share it, and the next call starts a new run', async () => {
  const { runs, workOf } = openWork();
  const call = shareCalls<string>();
  const failed = Promise.allSettled([1, 2, 3].map((caller) => call('list', workOf(caller))));
  runs[0]!.end('well');
  await settled();
  runs[1]!.fail(new Error('no luck'));
  expect((await failed).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  const next = call('list', workOf(4));
  expect(runs.map(({ caller }) => caller)).toEqual([1, 2, 4]);
  runs[2]!.end('well again');
  expect(await next).toBe('well again');
});

test('a hanging run delays a caller by at most maxWaitMs', async () => {
  const { runs, workOf } = openWork();
  const call = shareCalls<string>({ maxWaitMs: 2 });
  const [first, second] = [call('list', workOf(1)), call('list', workOf(2))];
  await until(() => runs.length === 2);
  runs[1]!.end('second');
  expect(await second).toBe('second');
  runs[0]!.end('first');
  expect(await first).toBe('first');
});
