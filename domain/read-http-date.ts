/**
 * Parses an HTTP date in any of its three forms (RFC 9110, section 5.6.7). Undefined for other
 * text.
 */
export function readHttpDate(text: string, now: Date): Date | undefined {
  const parts = FORMS.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined);
  if (!parts) return undefined;
  const [day, hour, minute, second] = [parts.day, parts.hour, parts.minute, parts.second].map(Number) as [number, number, number, number];
  const month = MONTHS.indexOf(parts.month!);
  const date = new Date(Date.UTC(fullYear(parts.year!, now), month, day, hour, minute, second));
  return date.getUTCMonth() === month && date.getUTCDate() === day ? date : undefined;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const MONTH = `(?<month>${MONTHS.join('|')})`;
const TIME = '(?<hour>[01]\\d|2[0-3]):(?<minute>[0-5]\\d):(?<second>[0-5]\\d|60)';
const DAY_NAME = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const LONG_DAY_NAME = '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day';

const FORMS = [
  new RegExp(`^${DAY_NAME}, (?<day>\\d{2}) ${MONTH} (?<year>\\d{4}) ${TIME} GMT$`),
  new RegExp(`^${LONG_DAY_NAME}, (?<day>\\d{2})-${MONTH}-(?<year>\\d{2}) ${TIME} GMT$`),
  new RegExp(`^${DAY_NAME} ${MONTH} (?<day>\\d{2}| \\d) ${TIME} (?<year>\\d{4})$`),
];

/** A two-digit year more than fifty years ahead belongs to the previous century. */
function fullYear(digits: string, now: Date): number {
  if (digits.length === 4) return Number(digits);
  const year = now.getUTCFullYear() - (now.getUTCFullYear() % 100) + Number(digits);
  return year > now.getUTCFullYear() + 50 ? year - 100 : year;
}
