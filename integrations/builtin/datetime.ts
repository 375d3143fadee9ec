import { DateTime, IANAZone } from 'luxon';
import { z } from 'zod';
import { ActionError, action, integration } from '../definition.ts';
import { parseDateText } from './parse-date-text.ts';

const dateText = z
  .string()
  .min(1)
  .max(100)
  .describe('ISO 8601, RFC 2822, Unix seconds or milliseconds, or a common written form such as "March 5, 2026"');
const timezone = z
  .string()
  .max(64)
  .refine((name) => IANAZone.isValidZone(name), 'expects an IANA time zone such as "Europe/Berlin"')
  .default('UTC')
  .describe('IANA time zone, such as Europe/Berlin, for dates without an offset and for the answer');
const hour = (last: number) => z.number().int().min(0).max(last);

const FORMATS = {
  iso: (date: DateTime) => date.toISO(),
  us: (date: DateTime) => date.toFormat('MM/dd/yyyy'),
  eu: (date: DateTime) => date.toFormat('dd/MM/yyyy'),
  long: (date: DateTime) => date.toFormat('cccc, LLLL d, yyyy'),
  short: (date: DateTime) => date.toFormat('LLL d, yyyy'),
  time: (date: DateTime) => date.toFormat('HH:mm:ss'),
  datetime: (date: DateTime) => date.toFormat('yyyy-MM-dd HH:mm:ss'),
  relative: (date: DateTime, now: DateTime) => date.toRelative({ base: now }),
} as const;

export const datetime = integration({
  name: 'datetime',
  displayName: 'Date & Time',
  description: 'Parse, format and calculate dates in any time zone',
  logoUrl: null,
  categories: ['PRODUCTIVITY', 'DEVELOPER_TOOLS'],
  auth: null,
  actions: {
    parse_date: action({
      displayName: 'Parse date',
      description: 'Parse a date and return its parts',
      category: 'read',
      input: z.object({ dateString: dateText, timezone: timezone }),
      output: z.object({
        iso: z.string(),
        timestamp: z.number().describe('milliseconds since 1970, UTC'),
        year: z.number(),
        month: z.number().describe('1 to 12'),
        day: z.number(),
        hour: z.number(),
        minute: z.number(),
        second: z.number(),
        weekday: z.number().describe('0 = Sunday'),
        weekdayName: z.string(),
        timezone: z.string(),
        offsetMinutes: z.number(),
      }),
      run({ input }) {
        const date = readDate(input.dateString, input.timezone);
        const { year, month, day, hour, minute, second } = date;
        return {
          ...{ iso: toIso(date), timestamp: date.toMillis(), year, month, day, hour, minute, second },
          ...{ weekday: date.weekday % 7, weekdayName: date.toFormat('cccc'), timezone: input.timezone, offsetMinutes: date.offset },
        };
      },
    }),

    format_date: action({
      displayName: 'Format date',
      description: 'Format a date',
      category: 'read',
      input: z.object({
        date: dateText,
        format: z
          .enum(['iso', 'us', 'eu', 'long', 'short', 'time', 'datetime', 'relative'])
          .describe('relative is measured from now, such as "2 hours ago"'),
        timezone: timezone,
      }),
      output: z.object({ formatted: z.string(), format: z.string(), timezone: z.string() }),
      run({ input, now }) {
        const formatted = FORMATS[input.format](readDate(input.date, input.timezone), DateTime.fromJSDate(now()));
        if (formatted === null) throw outOfRange();
        return { formatted, format: input.format, timezone: input.timezone };
      },
    }),

    date_math: action({
      displayName: 'Date math',
      description: 'Add a time span to a date, or subtract it; days, weeks, months and years follow the calendar of the time zone',
      category: 'read',
      input: z.object({
        date: dateText,
        operation: z.enum(['add', 'subtract']).describe('whether the amount is added or subtracted'),
        amount: z.number().min(-1e9).max(1e9).describe('number of units'),
        unit: z.enum(['seconds', 'minutes', 'hours', 'days', 'weeks', 'months', 'years']).describe('unit of the amount'),
        timezone: timezone,
      }),
      output: z.object({ iso: z.string(), timestamp: z.number().describe('milliseconds since 1970, UTC'), timezone: z.string() }),
      run({ input }) {
        const amount = input.operation === 'add' ? input.amount : -input.amount;
        const date = readDate(input.date, input.timezone).plus({ [input.unit]: amount });
        return { iso: toIso(date), timestamp: date.toMillis(), timezone: input.timezone };
      },
    }),

    is_business_hours: action({
      displayName: 'Is business hours',
      description: 'Whether a moment is within working hours; a shift may run past midnight (startHour 22, endHour 6)',
      category: 'read',
      input: z.object({
        date: dateText.optional().describe('default: now'),
        timezone: timezone,
        startHour: hour(23).default(9).describe('hour at which business hours begin'),
        endHour: hour(24).default(17).describe('hour at which business hours end'),
        workDays: z.array(z.number().int().min(0).max(6)).max(7).default([1, 2, 3, 4, 5]).describe('0 = Sunday'),
      }),
      output: z.object({
        isBusinessHours: z.boolean(),
        isWorkDay: z.boolean(),
        localTime: z.string(),
        weekday: z.number(),
        timezone: z.string(),
      }),
      run({ input, now }) {
        const { startHour, endHour, workDays } = input;
        const date = input.date === undefined ? DateTime.fromJSDate(now(), { zone: input.timezone }) : readDate(input.date, input.timezone);
        const weekday = date.weekday % 7;
        const beganYesterday = endHour <= startHour && date.hour < endHour;
        const isWorkDay = workDays.includes(beganYesterday ? (weekday + 6) % 7 : weekday);
        const isWorkHour = endHour > startHour ? date.hour >= startHour && date.hour < endHour : date.hour >= startHour || beganYesterday;
        return { isBusinessHours: isWorkDay && isWorkHour, isWorkDay, localTime: toIso(date), weekday, timezone: input.timezone };
      },
    }),
  },
});

function readDate(text: string, zone: string): DateTime {
  const date = parseDateText(text, zone);
  if (!date)
    throw new ActionError(`${JSON.stringify(text)} is not a date that can be read. ISO 8601 always works, such as 2026-03-05T14:30:00Z.`);
  return date;
}

function toIso(date: DateTime): string {
  const iso = date.toISO();
  if (iso === null) throw outOfRange();
  return iso;
}

function outOfRange(): ActionError {
  return new ActionError('The result is outside the supported range of dates.');
}
