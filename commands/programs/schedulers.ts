import pLimit, { type LimitFunction } from 'p-limit';
import { COMPUTATION_SECONDS, CONCURRENCY } from '../../domain/limits.ts';
import { FairScheduler, type SchedulerLimits } from '../../infra/concurrency/fair-scheduler.ts';
import type { SlotKind } from '../../integrations/custom/importer.ts';

/** Limits of the concurrent work of one process. In a `FairScheduler`, organizations take turns. */
export interface Schedulers {
  /** A pass executes the code of a run up to a pause or the end. */
  passes: FairScheduler;
  /** Requests to Temporal for runs that have sent no notification to their waiting caller. */
  silentRuns: LimitFunction;
  /** Starts of workflows for runs that have ended. No caller waits for them. */
  endedRuns: LimitFunction;
  /** Runs code of actions with this time limit. Short code never waits for long code. */
  forCode(timeoutSeconds: number): FairScheduler;
  threads: FairScheduler;
  /** Batches of calls that are replayed by backtests of policies. */
  backtests: FairScheduler;
  verifications: FairScheduler;
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
