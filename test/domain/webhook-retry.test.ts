import { WEBHOOK_SCHEDULE_SECONDS } from '../../domain/limits.ts';
import { retryAfterSeconds, retryDelaySeconds } from '../../domain/webhook-retry.ts';

const HOUR = 3600;
const NOW = new Date('2026-03-01T12:00:00Z');

test('a delivery has ten attempts, with delays from 5 s to 24 h', () => {
  const delays = Array.from({ length: 10 }, (_, index) => retryDelaySeconds(index + 1, 0.5));
  expect(delays).toEqual([5, 300, 1800, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR, undefined]);
  expect(WEBHOOK_SCHEDULE_SECONDS).toHaveLength(10);
  expect(Math.floor(WEBHOOK_SCHEDULE_SECONDS.reduce((sum, seconds) => sum + seconds) / HOUR)).toBe(75);
});

test('the jitter is 20 % in both directions', () => {
  expect([retryDelaySeconds(2, 0), retryDelaySeconds(2, 1)]).toEqual([240, 360]);
});

test('Retry-After can only postpone the next attempt', () => {
  expect(retryDelaySeconds(1, 0.5, 600)).toBe(600);
  expect(retryDelaySeconds(3, 0.5, 1)).toBe(1800);
  expect(retryDelaySeconds(10, 0.5, 600)).toBeUndefined();
  expect(retryDelaySeconds(11, 0.5)).toBeUndefined();
});

test.each([
  ['120', 120],
  ['0', 0],
  ['Sun, 01 Mar 2026 12:10:00 GMT', 600],
  ['Sun, 01 Mar 2026 11:00:00 GMT', 0],
  ['86401', 24 * HOUR],
  ['99999999999999999999', 24 * HOUR],
  ['Fri, 01 Mar 2030 12:00:00 GMT', 24 * HOUR],
  ['soon', undefined],
  ['Sunday, 01-Mar-26 12:10:00 GMT', 600],
  ['Sun Mar  1 12:10:00 2026', 600],
  ['Sunday, 01-Mar-77 12:10:00 GMT', 0],
  ['Sunday, 01-Mar-76 12:10:00 GMT', 24 * HOUR],
  [' 120 ', 120],
  ['-5', undefined],
  ['1.5', undefined],
  ['soon; 2099', undefined],
  ['2099', 2099],
  ['2099-01-01', undefined],
  ['2099-01-01T00:00:00Z', undefined],
  ['Sun, 01 Mar 2026 12:10:00', undefined],
  ['Sun, 01 Mar 2026 12:10:00 +0100', undefined],
  ['Mon, 30 Feb 2026 12:10:00 GMT', undefined],
  ['Sun, 01 Mar 2026 24:10:00 GMT', undefined],
  ['x Sun, 01 Mar 2026 12:10:00 GMT', undefined],
  ['', undefined],
  [undefined, undefined],
])('Retry-After %j means %p seconds', (header, seconds) => {
  expect(retryAfterSeconds(header, NOW)).toEqual(seconds);
});
