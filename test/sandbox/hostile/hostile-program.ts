import type { PassFailure } from '../../../sandbox/host/pass.ts';

/** A program that tries to escape the sandbox, or to exceed its limits. */
export interface HostileProgram {
  /** What the program tries. */
  what: string;
  code: string;
  /**
   * The required end: this return value, one of these error codes, or a pause at a gate. 'anyhow'
   * allows every return value and every error of the program itself.
   */
  ends: { returns: unknown } | readonly (PassFailure | CodeOfError)[] | 'paused' | 'anyhow';
}

/** Codes of errors of the program itself. */
type CodeOfError =
  | 'CODE_ERROR'
  | 'CODE_SYNTAX_ERROR'
  | 'CODE_NOT_AVAILABLE'
  | 'CODE_OUTPUT_NOT_JSON'
  | 'ACTION_FAILED'
  | 'VALIDATION_ERROR';
