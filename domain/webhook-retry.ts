import { WEBHOOK_JITTER, WEBHOOK_RETRY_AFTER_MAX_SECONDS, WEBHOOK_SCHEDULE_SECONDS } from './limits.ts';
import { readHttpDate } from './read-http-date.ts';

/**
 * Returns the delay in seconds before the next attempt. `attempt` is the number of attempts made so
 * far, at least 1. The delay is the scheduled delay with jitter, or longer if the receiver asked
 * for more. Returns undefined after the last attempt. `random`, from 0 to 1, determines the jitter
 * (contract decisions 3, Webhook schedule).
 */
export function retryDelaySeconds(attempt: number, random: number, retryAfterSeconds = 0): number | undefined {
  const planned = WEBHOOK_SCHEDULE_SECONDS[attempt];
  if (planned === undefined) return undefined;
  return Math.max(planned * (1 + WEBHOOK_JITTER * (2 * random - 1)), retryAfterSeconds);
}

/**
 * Parses a Retry-After header: a number of seconds, or an HTTP date. Returns the seconds to wait,
 * limited to one day. Returns undefined for any other text.
 */
export function retryAfterSeconds(header: string | undefined, now: Date): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Math.min(Number(text), WEBHOOK_RETRY_AFTER_MAX_SECONDS);
  const date = readHttpDate(text, now);
  return date && Math.min(Math.max(0, (date.getTime() - now.getTime()) / 1000), WEBHOOK_RETRY_AFTER_MAX_SECONDS);
}
