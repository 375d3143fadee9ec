import { ExponentialBackoff, halfJitterGenerator, handleWhen, retry as retryPolicy } from 'cockatiel';

export interface RetryOptions {
  /**
   * Whether an error is worth another attempt. `failingMs`: milliseconds since the first failure.
   * Default: every error.
   */
  while?: (error: unknown, failingMs: number) => boolean;
  /** No further attempt starts once this signal is aborted. */
  until?: AbortSignal;
  /**
   * The delay doubles with every failure, from `firstMs` to `maxMs` (default: `firstMs`). Half of
   * each delay is random, so that callers do not retry together.
   */
  backoff: { firstMs: number; maxMs?: number };
  /** Called before each delay. */
  onRetry?: (error: unknown) => void;
  /** If true, the delays do not keep the process alive. */
  background?: boolean;
}

/**
 * Repeats `work` while it fails, and returns its first result. `attempt` counts from 1. Throws the
 * last error when no further attempt is allowed.
 */
export function retry<Value>(options: RetryOptions, work: (attempt: number) => Promise<Value>): Promise<Value> {
  const { while: isRetried = () => true, until, backoff, onRetry, background = false } = options;
  let firstFailureAt: number | undefined;
  let lastError: unknown;
  const isHandled = (error: unknown) => {
    firstFailureAt ??= performance.now();
    lastError = error;
    return isRetried(error, performance.now() - firstFailureAt);
  };
  const { firstMs: initialDelay, maxMs: maxDelay = initialDelay } = backoff;
  const policy = retryPolicy(handleWhen(isHandled), {
    maxAttempts: Number.POSITIVE_INFINITY,
    backoff: new ExponentialBackoff({ initialDelay, maxDelay, generator: halfJitterGenerator }),
  });
  if (onRetry) policy.onRetry((failure) => onRetry('error' in failure ? failure.error : undefined));
  const running = background ? policy.dangerouslyUnref() : policy;
  return running.execute(({ attempt }) => {
    if (attempt > 0 && until?.aborted) throw lastError; // aborted during the delay
    return work(attempt + 1);
  }, until);
}
