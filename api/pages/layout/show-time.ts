/** A time in UTC, because pages without scripts cannot know the time zone. */
export interface ShownTime {
  iso: string;
  words: string;
}

const MOMENT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });

/** A time with its day: 22 November 2026 at 10:36 UTC. */
export function showTime(at: Date): ShownTime {
  return { iso: at.toISOString(), words: `${MOMENT.format(at)} UTC` };
}

const TIME = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'UTC' });

/** Like `showTime`, but without the day if `at` and `now` are on the same day: 10:36 UTC. */
export function showTimeNear(at: Date, now: Date): ShownTime {
  return showDay(at) === showDay(now) ? { iso: at.toISOString(), words: `${TIME.format(at)} UTC` } : showTime(at);
}

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** The day in UTC: 22 November 2026. */
export function showDay(at: Date): string {
  return DAY.format(at);
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** A duration in its two largest units, rounded down: "2 days 3 hours", "less than a minute". */
export function showDuration(milliseconds: number): string {
  const first = UNITS.findIndex(([, size]) => milliseconds >= size);
  if (first === -1) return 'less than a minute';
  let rest = milliseconds;
  const parts: string[] = [];
  for (const [unit, size] of UNITS.slice(first, first + 2)) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(count === 1 ? `1 ${unit}` : `${count} ${unit}s`);
  }
  return parts.join(' ');
}
