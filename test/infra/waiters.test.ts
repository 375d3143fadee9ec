import { Waiters } from '../../infra/waiters.ts';

const LONG_MS = 3_600_000;

test('wake resolves all waits of its key and no other waits', async () => {
  const waiters = new Waiters();
  const [first, second, other] = [waiters.wait('a', LONG_MS), waiters.wait('a', LONG_MS), waiters.wait('b', LONG_MS)];
  waiters.wake('a');
  await Promise.all([first.woken, second.woken]);
  const woken = await Promise.race([other.woken.then(() => 'woken'), new Promise((resolve) => setImmediate(resolve, 'waiting'))]);
  expect(woken).toBe('waiting');
  waiters.wakeAll();
  await other.woken;
  for (const { stop } of [first, second, other]) stop();
});

test('a wait ends after its timeout', async () => {
  const waiters = new Waiters();
  const { woken, stop } = waiters.wait('a', 1);
  await woken;
  stop();
});

test('keys without waiters are forgotten', () => {
  const waiters = new Waiters();
  const waits = ['a', 'a', 'b'].map((key) => waiters.wait(key, LONG_MS));
  expect(waiters.size).toBe(2);
  for (const { stop } of waits) stop();
  expect(waiters.size).toBe(0);
});
