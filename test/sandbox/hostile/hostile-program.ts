import type { PassFailure } from '../../../sandbox/host/pass.ts';

/** A program that tries to escape the sandbox, or to exceed its limits. */
export interface HostileProgram {
  /** What the program tries. */
  what: string;
  code: string;
  /**
   * How it must end: with this return value, with one of these error codes, or paused at a gate.
   * `anyhow` allows any value or error: the test then checks only what the program learned.
   */
  ends: { returns: unknown } | readonly (PassFailure | CodeOfError)[] | 'paused' | 'anyhow';
}

/** Codes of errors that the code can catch. */
type CodeOfError =
  | 'CODE_ERROR'
  | 'CODE_SYNTAX_ERROR'
  | 'CODE_NOT_AVAILABLE'
  | 'CODE_OUTPUT_NOT_JSON'
  | 'ACTION_FAILED'
  | 'VALIDATION_ERROR';
