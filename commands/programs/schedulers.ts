import pLimit, { type LimitFunction } from 'p-limit';
import { COMPUTATION_SECONDS, CONCURRENCY } from '../../domain/limits.ts';
import { FairScheduler, type SchedulerLimits } from '../../infra/concurrency/fair-scheduler.ts';
import type { SlotKind } from '../../integrations/custom/importer.ts';

/** Limits of the work of one process. No organization can take all memory or all slots. */
export interface Schedulers {
  /** Passes of code runs. */
  passes: FairScheduler;
  /**
   * Calls to Temporal about runs that send no notification although a caller waits for them. First
   * come, first served.
   */
  silentRuns: LimitFunction;
  /**
   * Starts of workflows for runs that have ended. These workflows only record the end in Temporal,
   * and no caller waits for them.
   */
  endedRuns: LimitFunction;
  /**
   * Returns the scheduler for code of actions with that time limit. Short code never waits for long
   * code.
   */
  forCode(timeoutSeconds: number): FairScheduler;
  /** Work in threads of this process. */
  threads: FairScheduler;
  /** Batches of calls that are replayed by backtests of policies. */
  backtests: FairScheduler;
  /** Checks of activity logs. */
  verifications: FairScheduler;
  /**
   * Imports that are read and compared in threads of this process, by the kind of work in the
   * thread.
   */
  imports: Readonly<Record<SlotKind, FairScheduler>>;
}

/** Opens the schedulers of one process. */
export function openSchedulers(passes: SchedulerLimits): Schedulers {
  const short = new FairScheduler(CONCURRENCY.shortCode);
  const long = new FairScheduler(CONCURRENCY.longCode);
  return {
    passes: new FairScheduler(passes),
    silentRuns: pLimit(CONCURRENCY.silentRuns),
    endedRuns: pLimit(1),
    forCode: (timeoutSeconds) => (timeoutSeconds <= COMPUTATION_SECONDS ? short : long),
    threads: new FairScheduler(CONCURRENCY.threads),
    backtests: new FairScheduler(CONCURRENCY.backtests),
    verifications: new FairScheduler(CONCURRENCY.verifications),
    imports: {
      document: new FairScheduler(CONCURRENCY.documentImports),
      server: new FairScheduler(CONCURRENCY.serverImports),
      comparison: new FairScheduler(CONCURRENCY.comparisons),
    },
  };
}
