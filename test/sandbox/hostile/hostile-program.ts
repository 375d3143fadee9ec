import type { PassFailure } from '../../../sandbox/pass.ts';

/** A program that tries to get out of its box, or to take more than it may. */
export interface HostileProgram {
  /** What it tries. */
  what: string;
  code: string;
  /**
   * How it must end: by returning just this value, in one of these codes, paused at a gate, or by any value or error of its own where only
   * what it found out matters.
   */
  ends: { returns: unknown } | readonly (PassFailure | CodeOfError)[] | 'paused' | 'anyhow';
}

/** Codes of errors that the code could have caught. */
type CodeOfError =
  | 'CODE_ERROR'
  | 'CODE_SYNTAX_ERROR'
  | 'CODE_NOT_AVAILABLE'
  | 'CODE_OUTPUT_NOT_JSON'
  | 'ACTION_FAILED'
  | 'VALIDATION_ERROR';
