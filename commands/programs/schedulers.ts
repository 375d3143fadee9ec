import pLimit, { type LimitFunction } from 'p-limit';
import { COMPUTATION_SECONDS, CONCURRENCY } from '../../domain/limits.ts';
import { FairScheduler, type SchedulerLimits } from '../../infra/concurrency/fair-scheduler.ts';
import type { SlotKind } from '../../integrations/custom/importer.ts';

/** Limit what runs on this machine, by organization: none can take all its memory or all slots. */
export interface Schedulers {
  /** Passes of code runs. */
  passes: FairScheduler;
  /**
   * Requests to the workflows of runs that stay silent while somebody waits for them, first come
   * first served.
   */
  silentRuns: LimitFunction;
  /** Workflows of runs that have ended: a record of them in Temporal, which nobody waits for. */
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
