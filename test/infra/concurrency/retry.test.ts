import { retry } from '../../../infra/concurrency/retry.ts';

const SHORT = { firstMs: 1 };

function failing(times: number) {
  return async (attempt: number) => {
    if (attempt <= times) throw new Error(`attempt ${attempt}`);
    return attempt;
  };
}

test('work is repeated until it succeeds, and its attempts are counted from 1', async () => {
  expect(await retry({ backoff: SHORT }, failing(3))).toBe(4);
});

test('work that succeeds runs once', async () => {
  expect(await retry({ backoff: SHORT }, failing(0))).toBe(1);
});

test('an error that is not retried is thrown unchanged', async () => {
  const isRetried = (error: unknown) => (error as Error).message !== 'attempt 2';
  await expect(retry({ while: isRetried, backoff: SHORT }, failing(5))).rejects.toThrow('attempt 2');
});

test('`while` receives how long the work has been failing, in ms', async () => {
  const times: number[] = [];
  const isRetried = (_: unknown, failingMs: number) => times.push(failingMs) < 3;
  await expect(retry({ while: isRetried, backoff: { firstMs: 10 } }, failing(5))).rejects.toThrow('attempt 3');
  expect(times[0]).toBeLessThan(times[1]!);
  expect(times[1]).toBeLessThan(times[2]!);
});

test('an abort during an attempt ends the retries with the error of that attempt', async () => {
  const end = new AbortController();
  const work = async (attempt: number) => {
    if (attempt === 2) end.abort();
    throw new Error(`attempt ${attempt}`);
  };
  await expect(retry({ until: end.signal, backoff: SHORT }, work)).rejects.toThrow('attempt 2');
});

test('after an abort during a delay there is no further attempt', async () => {
  const end = new AbortController();
  const attempts: number[] = [];
  const work = async (attempt: number) => {
    attempts.push(attempt);
    throw new Error(`attempt ${attempt}`);
  };
  const onRetry = () => setImmediate(() => end.abort());
  await expect(retry({ until: end.signal, backoff: { firstMs: 50 }, onRetry }, work)).rejects.toThrow('attempt 1');
  expect(attempts).toEqual([1]);
});

test('the first attempt is made even after the abort', async () => {
  expect(await retry({ until: AbortSignal.abort(), backoff: SHORT }, failing(0))).toBe(1);
  await expect(retry({ until: AbortSignal.abort(), backoff: SHORT }, failing(1))).rejects.toThrow('attempt 1');
});

test('every retried error is reported', async () => {
  const errors: string[] = [];
  await retry({ backoff: SHORT, onRetry: (error) => errors.push((error as Error).message) }, failing(2));
  expect(errors).toEqual(['attempt 1', 'attempt 2']);
});

describe('delays', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  test('double up to maxMs, and each is shortened at random by at most half', async () => {
    const startedAt: number[] = [];
    const work = async (attempt: number) => {
      startedAt.push(Date.now());
      if (attempt <= 5) throw new Error('not yet');
    };
    const done = retry({ backoff: { firstMs: 1000, maxMs: 4000 } }, work);
    await jest.advanceTimersByTimeAsync(20_000);
    await done;
    const delays = startedAt.slice(1).map((time, index) => time - startedAt[index]!);
    for (const [index, full] of [1000, 2000, 4000, 4000, 4000].entries()) {
      expect(delays[index]).toBeGreaterThanOrEqual(full / 2);
      expect(delays[index]).toBeLessThanOrEqual(full);
    }
  });
});
