import { createHash } from 'node:crypto';

/** Programs that ran out of time or memory while they were parsed, for ten minutes. */
export const timedOutCache = {
  has(code: string): boolean {
    return until.size > 0 && (until.get(hashOf(code)) ?? 0) > performance.now();
  },
  add(code: string): void {
    const [oldest] = until.keys();
    if (until.size >= MOST && oldest !== undefined) until.delete(oldest);
    until.set(hashOf(code), performance.now() + REMEMBERED_MS);
  },
};

const MOST = 1000;
const REMEMBERED_MS = 10 * 60 * 1000;

const until = new Map<string, number>();

function hashOf(code: string): string {
  return createHash('sha256').update(code).digest('base64');
}
