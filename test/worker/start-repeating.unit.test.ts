import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { startRepeating } from '../../worker/start-repeating.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

test('turns that are due during a long turn are skipped, and no turn begins after stop', async () => {
  let begun = 0;
  let endTurn = () => {};
  const repeating = startRepeating(1000, () => {
    begun += 1;
    return new Promise((resolve) => {
      endTurn = resolve;
    });
  });
  await jest.advanceTimersByTimeAsync(5000);
  expect(begun).toBe(1);
  endTurn();
  await jest.advanceTimersByTimeAsync(1000);
  expect(begun).toBe(2);

  const stopped = repeating.stop();
  await jest.advanceTimersByTimeAsync(5000);
  endTurn();
  await stopped;
  await jest.advanceTimersByTimeAsync(5000);
  expect(begun).toBe(2);
});
