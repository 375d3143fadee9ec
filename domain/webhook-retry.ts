import { WEBHOOK_JITTER, WEBHOOK_RETRY_AFTER_MAX_SECONDS, WEBHOOK_SCHEDULE_SECONDS } from './limits.ts';
import { readHttpDate } from './read-http-date.ts';

/**
 * Returns the delay before the next attempt (contract decisions 3, Webhook schedule). `attempt`
 * counts the attempts so far, from 1; `random` is from 0 to 1. Undefined after the last attempt.
 */
export function retryDelaySeconds(attempt: number, random: number, retryAfterSeconds = 0): number | undefined {
  const planned = WEBHOOK_SCHEDULE_SECONDS[attempt];
  if (planned === undefined) return undefined;
  return Math.max(planned * (1 + WEBHOOK_JITTER * (2 * random - 1)), retryAfterSeconds);
}

/** Returns the seconds of a Retry-After header, limited to one day. Undefined for invalid text. */
export function retryAfterSeconds(header: string | undefined, now: Date): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Math.min(Number(text), WEBHOOK_RETRY_AFTER_MAX_SECONDS);
  const date = readHttpDate(text, now);
  return date && Math.min(Math.max(0, (date.getTime() - now.getTime()) / 1000), WEBHOOK_RETRY_AFTER_MAX_SECONDS);
}
