import { showDuration, showTime, showTimeNear } from '../../../../api/pages/layout/show-time.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

test.each([
  [-HOUR, 'less than a minute'],
  [MINUTE - 1, 'less than a minute'],
  [MINUTE, '1 minute'],
  [HOUR - 1, '59 minutes'],
  [HOUR, '1 hour'],
  [HOUR + MINUTE, '1 hour 1 minute'],
  [DAY - 1, '23 hours 59 minutes'],
  [DAY + 59 * MINUTE, '1 day'],
  [2 * DAY + 3 * HOUR + 59 * MINUTE, '2 days 3 hours'],
  [30 * DAY, '30 days'],
])('%i ms are shown as %s: at most two units, rounded down', (milliseconds, words) => {
  expect(showDuration(milliseconds)).toBe(words);
});

test('a time is shown in UTC, as text and in a machine-readable form', () => {
  expect(showTime(new Date('2026-11-21T23:59:59.999Z'))).toEqual({
    iso: '2026-11-21T23:59:59.999Z',
    words: '21 November 2026 at 23:59 UTC',
  });
});

test('a time of today is shown without the day', () => {
  const now = new Date('2026-11-23T23:30:00Z');
  expect(showTimeNear(new Date('2026-11-23T23:59:00Z'), now)).toEqual({ iso: '2026-11-23T23:59:00.000Z', words: '23:59 UTC' });
  expect(showTimeNear(new Date('2026-11-24T00:36:00Z'), now).words).toBe('24 November 2026 at 00:36 UTC');
});
