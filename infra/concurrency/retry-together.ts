import { type RetryOptions, retry } from './retry.ts';

/**
 * Like `retry`, for callers that fail for the same reason, such as an outage. Only one failed
 * caller retries; the others wait for it, and then repeat their work.
 */
export function retryTogether(options: RetryOptions): <Value>(work: (attempt: number) => Promise<Value>) => Promise<Value> {
  const { while: isRetried = () => true, until } = options;
  let leader: Promise<unknown> | undefined;

  const lead = <Value>(work: (again: number) => Promise<Value>): Promise<Value> => {
    const retried = retry(options, work).finally(() => {
      leader = undefined;
    });
    leader = retried;
    return retried;
  };

  return async (work) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work(attempt);
      } catch (error) {
        if (until?.aborted || !isRetried(error, 0)) throw error;
        if (!leader) return await lead((again) => work(attempt + again));
        await leader.catch(() => {}); // the caller of the leader gets the error
        if (until?.aborted) throw error;
      }
    }
  };
}
