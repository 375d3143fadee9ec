import { setImmediate as turn } from 'node:timers/promises';
import { retryTogether } from '../../../infra/concurrency/retry-together.ts';

const SHORT = { firstMs: 1 };

function aPart() {
  const attempts: string[] = [];
  const state = { isAway: true };
  const ask = (name: string) => async (attempt: number) => {
    attempts.push(`${name}${attempt}`);
    if (state.isAway) throw new Error('away');
    return name;
  };
  return { attempts, state, ask };
}

test('during an outage only the first caller retries, and the others follow in their order', async () => {
  const { attempts, state, ask } = aPart();
  const together = retryTogether({ backoff: SHORT });
  const all = Promise.all(['a', 'b', 'c'].map((name) => together(ask(name))));
  while (attempts.length < 6) await turn();
  expect(attempts.slice(0, 6)).toEqual(['a1', 'b1', 'c1', 'a2', 'a3', 'a4']);
  state.isAway = false;
  expect(await all).toEqual(['a', 'b', 'c']);
  expect(attempts.slice(-2)).toEqual(['b2', 'c2']);
  expect(attempts.filter((attempt) => !attempt.startsWith('a'))).toHaveLength(4);
});

test('an error that is not retried is thrown to its caller, and the next caller retries', async () => {
  const { state, ask } = aPart();
  const isRetried = (error: unknown) => (error as Error).message === 'away';
  const together = retryTogether({ while: isRetried, backoff: SHORT });
  const refused = together(async (attempt) => {
    if (attempt === 1) throw new Error('away');
    throw new Error('refused');
  });
  const follower = together(ask('b'));
  await expect(refused).rejects.toThrow('refused');
  state.isAway = false;
  expect(await follower).toBe('b');
});

test('an abort rejects every caller, and a waiting caller does not retry', async () => {
  const end = new AbortController();
  const { attempts, ask } = aPart();
  const together = retryTogether({ until: end.signal, backoff: SHORT });
  const all = Promise.allSettled(['a', 'b'].map((name) => together(ask(name))));
  while (attempts.length < 3) await turn();
  end.abort();
  expect((await all).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(attempts.filter((attempt) => attempt.startsWith('b'))).toEqual(['b1']);
});

test('without an outage, callers do not wait for each other', async () => {
  const { attempts, state, ask } = aPart();
  state.isAway = false;
  const together = retryTogether({ backoff: SHORT });
  expect(await Promise.all(['a', 'b'].map((name) => together(ask(name))))).toEqual(['a', 'b']);
  expect(attempts).toEqual(['a1', 'b1']);
});
