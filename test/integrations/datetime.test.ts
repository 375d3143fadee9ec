import { describe, expect, test } from '@jest/globals';
import { issuesOf, runAction } from './run-action.ts';

describe('parse_date', () => {
  test('splits a date into its parts in the given time zone', async () => {
    expect(await runAction('datetime.parse_date', { dateString: '2026-03-08T23:30:15Z', timezone: 'Europe/Berlin' })).toEqual({
      iso: '2026-03-09T00:30:15.000+01:00',
      timestamp: Date.UTC(2026, 2, 8, 23, 30, 15),
      ...{ year: 2026, month: 3, day: 9, hour: 0, minute: 30, second: 15 },
      ...{ weekday: 1, weekdayName: 'Monday', timezone: 'Europe/Berlin', offsetMinutes: 60 },
    });
  });

  test.each([
    ['2026-03-05', '2026-03-05T00:00:00.000Z'],
    ['20260305', '2026-03-05T00:00:00.000Z'],
    ['2026-W10-4', '2026-03-05T00:00:00.000Z'],
    ['2026-03-05T14:30', '2026-03-05T14:30:00.000Z'],
    ['2026-03-05 14:30:15', '2026-03-05T14:30:15.000Z'],
    ['2026-03-05T14:30:15.123+05:30', '2026-03-05T09:00:15.123Z'],
    ['Thu, 05 Mar 2026 14:30:15 GMT', '2026-03-05T14:30:15.000Z'],
    ['05 Mar 2026 14:30:15 -0500', '2026-03-05T19:30:15.000Z'],
    ['1772721015', '2026-03-05T14:30:15.000Z'],
    ['1772721015123', '2026-03-05T14:30:15.123Z'],
    ['March 5, 2026', '2026-03-05T00:00:00.000Z'],
    ['Mar 5, 2026 2:30 PM', '2026-03-05T14:30:00.000Z'],
    ['5 March 2026', '2026-03-05T00:00:00.000Z'],
    ['3/5/2026', '2026-03-05T00:00:00.000Z'],
    ['5.3.2026', '2026-03-05T00:00:00.000Z'],
    ['2026/03/05 14:30', '2026-03-05T14:30:00.000Z'],
    ['  2024-02-29  ', '2024-02-29T00:00:00.000Z'],
  ])('reads %j', async (dateString, iso) => expect(await runAction('datetime.parse_date', { dateString })).toMatchObject({ iso }));

  test('a date without an offset is read in the given time zone', async () => {
    expect(await runAction('datetime.parse_date', { dateString: '2026-07-01T12:00', timezone: 'America/New_York' })).toMatchObject({
      timestamp: Date.UTC(2026, 6, 1, 16),
    });
  });

  test.each(['tomorrow', '2026-02-30', '2026-13-01', '13/45/2026', '12:30', 'NaN', '99999999999999999', '\u0000'])(
    '%j is a failure that lists the accepted formats',
    (dateString) =>
      expect(runAction('datetime.parse_date', { dateString })).rejects.toMatchObject({
        code: 'ACTION_FAILED',
        message: expect.stringContaining('ISO 8601'),
      }),
  );

  test.each([
    [{}, ['dateString']],
    [{ dateString: '' }, ['dateString']],
    [{ dateString: 'x'.repeat(101) }, ['dateString']],
    [{ dateString: 5 }, ['dateString']],
    [{ dateString: '2026-03-05', timezone: 'Mars/Olympus' }, ['timezone']],
    [{ dateString: '2026-03-05', timezone: '' }, ['timezone']],
    [{ dateString: '2026-03-05', tz: 'UTC' }, ['tz']],
  ])('%j is refused', (input, paths) => expect(issuesOf('datetime.parse_date', input).map(({ path }) => path)).toEqual(paths));
});

describe('format_date', () => {
  test.each([
    ['iso', '2026-03-05T14:30:15.000Z'],
    ['us', '03/05/2026'],
    ['eu', '05/03/2026'],
    ['long', 'Thursday, March 5, 2026'],
    ['short', 'Mar 5, 2026'],
    ['time', '14:30:15'],
    ['datetime', '2026-03-05 14:30:15'],
    ['relative', '2 hours ago'],
  ])('%s', async (format, formatted) => {
    const now = new Date('2026-03-05T16:30:15Z');
    expect(await runAction('datetime.format_date', { date: '2026-03-05T14:30:15Z', format }, { now })).toEqual({
      formatted,
      format,
      timezone: 'UTC',
    });
  });

  test('formats in the given time zone', async () => {
    expect(
      await runAction('datetime.format_date', { date: '2026-03-05T23:30:00Z', format: 'datetime', timezone: 'Asia/Tokyo' }),
    ).toMatchObject({ formatted: '2026-03-06 08:30:00' });
  });

  test('an unknown format is refused with the list of formats', () => {
    const [issue] = issuesOf('datetime.format_date', { date: '2026-03-05', format: 'uk' });
    expect(issue).toEqual({ path: 'format', message: 'expects one of "iso", "us", "eu", "long", "short", "time", "datetime", "relative"' });
  });
});

describe('date_math', () => {
  test.each([
    ['2026-01-31', 'add', 1, 'months', '2026-02-28T00:00:00.000Z'],
    ['2024-02-29', 'add', 1, 'years', '2025-02-28T00:00:00.000Z'],
    ['2026-03-01', 'subtract', 1, 'days', '2026-02-28T00:00:00.000Z'],
    ['2026-03-01', 'add', -1, 'weeks', '2026-02-22T00:00:00.000Z'],
    ['2026-03-01', 'add', 1.5, 'hours', '2026-03-01T01:30:00.000Z'],
    ['2026-03-01', 'add', 90, 'minutes', '2026-03-01T01:30:00.000Z'],
    ['2026-03-01', 'subtract', 1, 'seconds', '2026-02-28T23:59:59.000Z'],
    ['2026-03-01', 'add', 0, 'days', '2026-03-01T00:00:00.000Z'],
  ])('%s %s %d %s is %s', async (date, operation, amount, unit, iso) =>
    expect(await runAction('datetime.date_math', { date, operation, amount, unit })).toMatchObject({ iso }),
  );

  test('a day is a calendar day of the time zone, and an hour is always 60 minutes', async () => {
    const input = { date: '2026-03-28T12:00', operation: 'add', timezone: 'Europe/Berlin' };
    expect(await runAction('datetime.date_math', { ...input, amount: 1, unit: 'days' })).toMatchObject({
      iso: '2026-03-29T12:00:00.000+02:00',
    });
    expect(await runAction('datetime.date_math', { ...input, amount: 24, unit: 'hours' })).toMatchObject({
      iso: '2026-03-29T13:00:00.000+02:00',
    });
  });

  test('a result outside the range of dates is a failure', () =>
    expect(runAction('datetime.date_math', { date: '2026-03-05', operation: 'add', amount: 1e9, unit: 'years' })).rejects.toMatchObject({
      code: 'ACTION_FAILED',
    }));

  test('all issues are reported together', () => {
    const issues = issuesOf('datetime.date_math', { dat: 1, operation: 'mul', unit: 'day', amount: '3' });
    expect(issues.map(({ path }) => path).sort()).toEqual(['amount', 'dat', 'date', 'operation', 'unit']);
    expect(issues.find(({ path }) => path === 'date')?.message).toContain('missing key "date"');
    expect(issues.find(({ path }) => path === 'dat')?.message).toBe(
      'unknown key "dat"; the keys are date, operation, amount, unit, timezone',
    );
  });
});

describe('is_business_hours', () => {
  const at = (date: string, more = {}) => runAction('datetime.is_business_hours', { date, ...more });

  test.each([
    ['2026-03-05T09:00', true],
    ['2026-03-05T16:59:59', true],
    ['2026-03-05T17:00', false],
    ['2026-03-05T08:59:59', false],
    ['2026-03-07T12:00', false],
    ['2026-03-08T12:00', false],
  ])('by default, business hours are Monday to Friday, 9 to 17 (%s: %s)', async (date, isBusinessHours) =>
    expect(await at(date)).toMatchObject({ isBusinessHours }),
  );

  test('the default date is the current time in the given time zone', async () => {
    const now = new Date('2026-03-05T23:30:00Z');
    expect(await runAction('datetime.is_business_hours', { timezone: 'Asia/Tokyo', startHour: 8 }, { now })).toEqual({
      ...{ isBusinessHours: true, isWorkDay: true, localTime: '2026-03-06T08:30:00.000+09:00', weekday: 5, timezone: 'Asia/Tokyo' },
    });
  });

  test('business hours past midnight belong to the day on which they began', async () => {
    const night = { startHour: 22, endHour: 6 };
    expect(await at('2026-03-07T05:59', night)).toMatchObject({ isBusinessHours: true });
    expect(await at('2026-03-07T22:30', night)).toMatchObject({ isBusinessHours: false });
    expect(await at('2026-03-09T05:00', night)).toMatchObject({ isBusinessHours: false });
    expect(await at('2026-03-05T12:00', night)).toMatchObject({ isBusinessHours: false });
  });

  test('workDays sets the work days; 0 to 24 is the whole day', async () => {
    expect(await at('2026-03-08T00:00', { workDays: [0], startHour: 0, endHour: 24 })).toMatchObject({ isBusinessHours: true });
    expect(await at('2026-03-05T12:00', { workDays: [] })).toMatchObject({ isBusinessHours: false, isWorkDay: false });
  });

  test.each([
    [{ startHour: 24 }],
    [{ startHour: 25 }],
    [{ startHour: -1 }],
    [{ endHour: 25 }],
    [{ startHour: 9.5 }],
    [{ workDays: [7] }],
    [{ workDays: [1, 2, 3, 4, 5, 6, 0, 1] }],
    [{ workDays: 'Mon' }],
  ])('%j is refused', (input) => expect(issuesOf('datetime.is_business_hours', input)).toHaveLength(1));
});
