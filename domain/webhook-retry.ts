import { WEBHOOK_JITTER, WEBHOOK_RETRY_AFTER_MAX_SECONDS, WEBHOOK_SCHEDULE_SECONDS } from './limits.ts';
import { readHttpDate } from './read-http-date.ts';

/**
 * Seconds from attempt number `attempt` to the next one, as the schedule says, or later where the receiver asked for it; undefined when it was
 * the last. `random` is from 0 to 1 and stands for the jitter (decisions section 3, Webhook schedule).
 */
export function retryDelaySeconds(attempt: number, random: number, retryAfterSeconds = 0): number | undefined {
  const planned = WEBHOOK_SCHEDULE_SECONDS[attempt];
  if (planned === undefined) return undefined;
  return Math.max(planned * (1 + WEBHOOK_JITTER * (2 * random - 1)), retryAfterSeconds);
}

/** Seconds that a Retry-After header asks to wait, as a number or as a date of HTTP, at most a day; undefined where it says neither. */
export function retryAfterSeconds(header: string | undefined, now: Date): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Math.min(Number(text), WEBHOOK_RETRY_AFTER_MAX_SECONDS);
  const date = readHttpDate(text, now);
  return date && Math.min(Math.max(0, (date.getTime() - now.getTime()) / 1000), WEBHOOK_RETRY_AFTER_MAX_SECONDS);
}
