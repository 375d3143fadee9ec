/**
 * Runs callers' code without network and without access to this machine. Exception: on a machine
 * that cannot confine Python and shell programs, ADVANCED_CODE_UNCONFINED lets them run unconfined.
 * Uses the settings of the workspace integration (specification 2.6).
 */
export interface ActionSandbox {
  /**
   * Runs JavaScript once, in its own isolate. An error of the JavaScript is a result. Throws
   * ACTION_FAILED if the JavaScript was stopped. The details of the error contain the reason.
   */
  compute(request: ComputeRequest): Promise<ComputeResult>;
  /**
   * Runs a Python or shell program with a workspace folder. Throws:
   * - ACTION_FAILED if the program was stopped or cannot run on this machine;
   * - ACTION_FAILED if the program left files that cannot be stored;
   * - ACTION_FAILED if a folder cannot be used, for example because another run uses it;
   * - END_USER_REQUIRED if an end user's storage is mounted and the call has no end user.
   */
  runProgram(request: { language: 'python' | 'shell'; code: string }): Promise<ProgramRun>;
}

export interface ComputeRequest {
  code: string;
  /** The value that the code sees as `inputs`. */
  inputs: Record<string, unknown>;
  /** Default: the time limit of the settings. */
  timeoutSeconds?: number;
}

interface ComputeLogLine {
  level: 'log' | 'info' | 'warn' | 'error' | 'debug';
  message: string;
  timestamp: string;
}

/** The return value of the code or its error, and its console output. */
export type ComputeResult = { logs: ComputeLogLine[]; isLogCut: boolean; durationMs: number } & (
  | { ok: true; result: unknown }
  | { ok: false; error: ComputeError }
);

interface ComputeError {
  code: string;
  message: string;
  /** Position in the code as it was sent, from 1. */
  line?: number;
  column?: number;
}

export interface ProgramRun {
  exitCode: number;
  stdout: string;
  stderr: string;
  /** Whether stdout or stderr was cut. */
  truncated: boolean;
  durationMs: number;
  /**
   * Entries of a persistent workspace folder that were not stored, at most 20. Only plain files
   * with valid names are stored.
   */
  notKept: string[];
}
