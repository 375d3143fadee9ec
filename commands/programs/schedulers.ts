import pLimit, { type LimitFunction } from 'p-limit';
import { COMPUTATION_SECONDS, CONCURRENCY } from '../../domain/limits.ts';
import { FairScheduler, type SchedulerLimits } from '../../infra/concurrency/fair-scheduler.ts';
import type { SlotKind } from '../../integrations/custom/importer.ts';

/** Limit what runs on this machine, by organization: none can take all its memory or all slots. */
export interface Schedulers {
  /** Passes of code runs. */
  passes: FairScheduler;
  /**
   * Calls to Temporal about runs without a notification that a caller waits for, first come first
   * served.
   */
  silentRuns: LimitFunction;
  /**
   * Starts of workflows of runs that have ended, which only record the end in Temporal. No caller
   * waits for them.
   */
  endedRuns: LimitFunction;
  /** Code of actions with that time limit. Short code never waits for long code. */
  forCode(timeoutSeconds: number): FairScheduler;
  /** Work in threads of this process. */
  threads: FairScheduler;
  /** Batches of calls that backtests of policies replay. */
  backtests: FairScheduler;
  /** Checks of activity logs. */
  verifications: FairScheduler;
  /** Imports that are read and compared in threads of this process, by what a thread does. */
  imports: Readonly<Record<SlotKind, FairScheduler>>;
}

/** The schedulers of one process. */
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
