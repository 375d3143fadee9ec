import { CircuitState, ConsecutiveBreaker, circuitBreaker, handleWhen } from 'cockatiel';

/** Each failed probe doubles the delay. */
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 2000;

/** A circuit that opens again within this time continues its former backoff. */
const STEADY_MS = 30_000;

const TICK_MS = 50;

export interface CircuitBreakerOptions {
  /** Whether an error means that the server is unreachable. One such error opens the circuit. */
  isOutage: (error: unknown) => boolean;
  /**
   * Runs in the background while the circuit is open. A result closes the circuit, and so does an
   * error that is no outage.
   */
  probe: () => Promise<void>;
  /** Called once per outage. */
  onOpen: (error: unknown) => void;
  /** Called once at the end of an outage, with its duration in ms. */
  onClose: (openMs: number) => void;
}

export interface CircuitBreaker {
  /** Throws CircuitOpenError immediately while the circuit is open. */
  run<Value>(call: () => Promise<Value>): Promise<Value>;
  /** Resolves when the circuit is closed, or when it has been open for `openMs`. */
  untilClosed(openMs: number): Promise<void>;
  stop(): void;
}

/** The server was unavailable and has not answered a probe since then. */
export class CircuitOpenError extends Error {
  override name = 'CircuitOpenError';
}

/** A circuit breaker with a separate probe, so that no caller waits in the half-open state. */
export function openCircuitBreaker({ isOutage, probe, onOpen, onClose }: CircuitBreakerOptions): CircuitBreaker {
  let failures = 0;
  let outages = 0;
  let openedAt: number | undefined;
  let closedAt = Number.NEGATIVE_INFINITY;
  let ticking: NodeJS.Timeout | undefined;

  // A short recovery does not reset the delay, so a server that answers only probes causes few
  // time-outs.
  const nextDelay = () => {
    if (openedAt === undefined && performance.now() - closedAt > STEADY_MS) failures = 0;
    const duration = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** failures);
    failures += 1;
    return { duration, next: nextDelay };
  };
  const breaker = circuitBreaker(handleWhen(isOutage), { breaker: new ConsecutiveBreaker(1), halfOpenAfter: { next: nextDelay } });
  const isClosed = () => breaker.state === CircuitState.Closed;
  const stop = () => clearInterval(ticking);

  breaker.onBreak((reason) => {
    if (openedAt !== undefined) return; // a probe failed
    openedAt = performance.now();
    outages += 1;
    // The breaker itself refuses a probe before its delay is over.
    ticking = setInterval(() => {
      if (breaker.state === CircuitState.Open) breaker.execute(probe).catch(() => {});
    }, TICK_MS).unref();
    onOpen('error' in reason ? reason.error : undefined);
  });
  breaker.onReset(() => {
    stop();
    closedAt = performance.now();
    onClose(Math.round(closedAt - openedAt!));
    openedAt = undefined;
  });

  return {
    run: async (call) => {
      if (!isClosed()) throw new CircuitOpenError('The circuit is open.');
      const before = outages;
      const ended = await breaker.execute(() => settle(call, () => outages > before));
      if ('value' in ended) return ended.value;
      throw ended.error;
    },
    untilClosed: async (openMs) => {
      if (isClosed()) return;
      const leftMs = openMs - (performance.now() - (openedAt ?? 0));
      if (leftMs <= 0) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const listener = breaker.onReset(() => resolve());
      const timer = setTimeout(resolve, leftMs);
      await promise;
      clearTimeout(timer);
      listener.dispose();
    },
    stop,
  };
}

/** The failure of a call that began before an outage does not open the circuit again. */
async function settle<Value>(call: () => Promise<Value>, isOld: () => boolean): Promise<{ value: Value } | { error: unknown }> {
  try {
    return { value: await call() };
  } catch (error) {
    if (!isOld()) throw error;
    return { error };
  }
}
