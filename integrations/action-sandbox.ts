/**
 * Runs callers' code without network and without access to this machine, unless
 * ADVANCED_CODE_UNCONFINED allows more. Uses the settings of the workspace integration
 * (specification 2.6).
 */
export interface ActionSandbox {
  /**
   * Runs JavaScript in its own isolate. An error of the JavaScript is a result. Throws
   * ACTION_FAILED if the JavaScript was stopped.
   */
  compute(request: ComputeRequest): Promise<ComputeResult>;
  /**
   * Runs a Python or shell program with a workspace folder. Throws ACTION_FAILED, or
   * END_USER_REQUIRED if an end user's storage is mounted and the call has no end user.
   */
  runProgram(request: { language: 'python' | 'shell'; code: string }): Promise<ProgramRun>;
}

export interface ComputeRequest {
  code: string;
  inputs: Record<string, unknown>;
  /** Default: the settings' time limit. */
  timeoutSeconds?: number;
}

interface ComputeLogLine {
  level: 'log' | 'info' | 'warn' | 'error' | 'debug';
  message: string;
  timestamp: string;
}

/** A result or an error, and the console output. */
export type ComputeResult = { logs: ComputeLogLine[]; isLogCut: boolean; durationMs: number } & (
  | { ok: true; result: unknown }
  | { ok: false; error: ComputeError }
);

interface ComputeError {
  code: string;
  message: string;
  /** Line number, from 1. */
  line?: number;
  column?: number;
}

export interface ProgramRun {
  exitCode: number;
  stdout: string;
  stderr: string;
  truncated: boolean;
  durationMs: number;
  /** Entries of a persistent workspace folder that were not stored, at most 20. */
  notKept: string[];
}
