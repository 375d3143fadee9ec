import pLimit from 'p-limit';
import { GatewayError } from '../../domain/errors.ts';

/** More work is not kept waiting. */
const MAX_WAITING = 20;

/**
 * Places for work in threads, each of which may take its whole memory. The work of a caller who has
 * gone is not begun. Throws RATE_LIMITED where too much waits.
 */
export function openThreadPlaces(count: number): <Result>(signal: AbortSignal, work: () => Promise<Result>) => Promise<Result> {
  const atMost = pLimit(count);
  return async (signal, work) => {
    if (atMost.pendingCount >= MAX_WAITING) throw busy();
    return atMost(() => {
      if (signal.aborted) throw busy();
      return work();
    });
  };
}

function busy(): GatewayError {
  return new GatewayError('RATE_LIMITED', 'Too many imports are under way at the moment. Try again in a minute.');
}
