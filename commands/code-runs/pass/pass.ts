import type { ActiveRun } from '../../../domain/code-run.ts';
import type { RunnableCode } from '../../../sandbox/reader/prepare-code.ts';
import type { Surface } from '../../surfaces/surface-cache.ts';
import type { RunPlan } from '../plan/plan-code-run.ts';

/** One execution of a run's code, from the start of the code to a pause or the end. */
export interface Pass {
  run: ActiveRun & { clockStartedAt: Date };
  plan: RunPlan;
  /** Null if the parser gave no answer. */
  program: RunnableCode | null;
  surface: Surface;
  signal: AbortSignal;
}

/** A pass that has begun and has its number. */
export interface BegunPass extends Pass {
  passNumber: number;
}
