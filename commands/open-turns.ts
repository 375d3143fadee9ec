import { COMPUTATION_SECONDS, TURNS } from '../domain/limits.ts';
import { type InTurn, openFairTurns, type TurnLimits } from './fair-turns.ts';

/** Where what runs on this machine takes its turn, by organization: no caller can take its memory, nor all the places. */
export interface Turns {
  /** Passes of code runs. */
  forPasses: InTurn;
  /** Code of actions that may run no longer than this, in a sandbox. What is short never waits for what is long. */
  forCode(timeoutSeconds: number): InTurn;
  /** Work in threads of this process. */
  forThreads: InTurn;
}

/** The turns of one process. */
export function openTurns(passes: TurnLimits): Turns {
  const short = openFairTurns(TURNS.shortCode);
  const long = openFairTurns(TURNS.longCode);
  return {
    forPasses: openFairTurns(passes),
    forCode: (timeoutSeconds) => (timeoutSeconds <= COMPUTATION_SECONDS ? short : long),
    forThreads: openFairTurns(TURNS.threads),
  };
}
