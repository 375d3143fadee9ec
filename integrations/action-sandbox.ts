/** Where code of callers runs: no network, nothing of this machine, by the settings of the workspace integration alone (specification 2.6). */
export interface ActionSandbox {
  /** Runs JavaScript once, in an isolate of its own. Throws ACTION_FAILED with the code of the end in its details where it was stopped. */
  compute(request: ComputeRequest): Promise<ComputeResult>;
  /**
   * Runs a Python or shell program with a workspace folder. Throws ACTION_FAILED where it was stopped, cannot run on this machine or left
   * what cannot be kept; END_USER_REQUIRED where the storage of an end user is mounted and the call names none.
   */
  runProgram(request: { language: 'python' | 'shell'; code: string }): Promise<ProgramRun>;
}

export interface ComputeRequest {
  code: string;
  /** What the code finds as `inputs`. */
  inputs: Record<string, unknown>;
  /** Absent: as long as the settings let a program run. */
  timeoutSeconds?: number;
}

export interface ComputeLogLine {
  level: 'log' | 'info' | 'warn' | 'error' | 'debug';
  message: string;
  timestamp: string;
}

/** What the code returned, or the error that it ended in, and its console. */
export type ComputeResult = { logs: ComputeLogLine[]; isLogCut: boolean; durationMs: number } & (
  | { ok: true; result: unknown }
  | { ok: false; error: ComputeError }
);

export interface ComputeError {
  code: string;
  message: string;
  /** In the code as it was sent, from 1. */
  line?: number;
  column?: number;
}

export interface ProgramRun {
  exitCode: number;
  stdout: string;
  stderr: string;
  /** Whether either was cut. */
  truncated: boolean;
  durationMs: number;
  /** What the program left in a persistent workspace folder that is not kept, since it is no plain file. */
  notKept: string[];
}
