import { DateTime } from 'luxon';

/**
 * Parses a date in one of the usual notations, such as month/day/year or day.month.year. Undefined
 * for other text. `zone`: the time zone of dates without an offset.
 */
export function parseDateText(text: string, zone: string): DateTime<true> | undefined {
  const trimmed = text.trim();
  const options = { zone, locale: 'en-US' } as const;
  if (/^-?\d{9,10}$/.test(trimmed)) return valid(DateTime.fromSeconds(Number(trimmed), options));
  if (/^-?\d{11,15}$/.test(trimmed)) return valid(DateTime.fromMillis(Number(trimmed), options));

  // Requires a year first, because luxon reads a time alone as a time of today.
  if (/^[+-]?\d{4}/.test(trimmed)) {
    const date = valid(DateTime.fromISO(trimmed, options)) ?? valid(DateTime.fromSQL(trimmed, options));
    if (date) return date;
  }
  const standard = valid(DateTime.fromRFC2822(trimmed, options)) ?? valid(DateTime.fromHTTP(trimmed, options));
  return standard ?? firstValid(WRITTEN_DATES.map((format) => () => DateTime.fromFormat(trimmed.replace(/\s+/g, ' '), format, options)));
}

const DAYS = [
  'yyyy/M/d',
  'M/d/yyyy',
  'd.M.yyyy',
  'LLLL d, yyyy',
  'LLL d, yyyy',
  'LLLL d yyyy',
  'LLL d yyyy',
  'd LLLL yyyy',
  'd LLL yyyy',
  'cccc, LLLL d, yyyy',
  'ccc, LLL d, yyyy',
];
const TIMES = ['', ' H:mm', ' H:mm:ss', ' h:mm a', ' h:mm:ss a'];
const WRITTEN_DATES = DAYS.flatMap((day) => TIMES.map((time) => day + time));

function firstValid(attempts: (() => DateTime)[]): DateTime<true> | undefined {
  for (const attempt of attempts) {
    const date = valid(attempt());
    if (date) return date;
  }
  return undefined;
}

function valid(date: DateTime): DateTime<true> | undefined {
  return date.isValid ? (date as DateTime<true>) : undefined;
}
