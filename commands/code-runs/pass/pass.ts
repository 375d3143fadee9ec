import type { ActiveRun } from '../../../domain/code-run.ts';
import type { RunnableCode } from '../../../sandbox/reader/prepare-code.ts';
import type { Surface } from '../../surfaces/surface-cache.ts';
import type { RunPlan } from '../plan/plan-code-run.ts';

/** One execution of a run's code, between two pauses. */
export interface Pass {
  run: ActiveRun & { clockStartedAt: Date };
  plan: RunPlan;
  /** Null where the code could not be read in its time. */
  program: RunnableCode | null;
  surface: Surface;
  signal: AbortSignal;
}

/** A pass that has its number. */
export interface BegunPass extends Pass {
  passNumber: number;
}
