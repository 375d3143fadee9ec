import pLimit, { type LimitFunction } from 'p-limit';
import { GatewayError } from '../../domain/errors.ts';
import { CHANGE_WAIT_SECONDS } from '../../domain/limits.ts';

const locks = new Map<string, { queue: LimitFunction; users: number }>();

/**
 * Runs `work` under a lock of this process, in the order of the calls. A waiting caller holds no
 * database connection. Throws UNAVAILABLE if the lock becomes free only after CHANGE_WAIT_SECONDS.
 */
export async function withKeyLock<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
  const lock = locks.get(key) ?? { queue: pLimit(1), users: 0 };
  locks.set(key, lock);
  lock.users += 1;
  const requestedAt = performance.now();
  try {
    return await lock.queue(() => {
      if (performance.now() - requestedAt > CHANGE_WAIT_SECONDS * 1000)
        throw new GatewayError('UNAVAILABLE', 'Too many changes are under way here. Try again.');
      return work();
    });
  } finally {
    lock.users -= 1;
    if (lock.users === 0) locks.delete(key);
  }
}
