import pLimit, { type LimitFunction } from 'p-limit';
import { GatewayError } from '../domain/errors.ts';
import { CHANGE_WAIT_SECONDS } from '../domain/limits.ts';

/** By what is changed; only while somebody waits or works. */
const queues = new Map<string, { inOrder: LimitFunction; length: number }>();

/**
 * Runs the changes of one thing in this process one after another. Those that wait hold no database connection meanwhile, as they would
 * waiting for the lock of its row, so that nothing else has to wait with them. Throws UNAVAILABLE for one whose turn came too late.
 */
export async function inTurn<Result>(changed: string, change: () => Promise<Result>): Promise<Result> {
  const queue = queues.get(changed) ?? { inOrder: pLimit(1), length: 0 };
  queues.set(changed, queue);
  queue.length += 1;
  const arrivedAt = performance.now();
  try {
    return await queue.inOrder(() => {
      if (performance.now() - arrivedAt > CHANGE_WAIT_SECONDS * 1000)
        throw new GatewayError('UNAVAILABLE', 'Too many changes are under way here. Try again.');
      return change();
    });
  } finally {
    queue.length -= 1;
    if (queue.length === 0) queues.delete(changed);
  }
}
