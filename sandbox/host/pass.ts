import type { RunnableCode } from '../reader/prepare-code.ts';

/** For whom code runs. A runner process serves only one principal. */
export interface CodePrincipal {
  orgId: string;
  workspaceId: string;
  /** Null if the code runs for the workspace. */
  endUserId: string | null;
}

/** The input of a pass: one execution of the code, to its end or a pause. */
export interface PassRequest {
  principal: CodePrincipal;
  /** Null if the parser gave no answer. The pass then fails. */
  program: RunnableCode | null | Promise<RunnableCode | null>;
  /** The actions that the code may call, by alias. */
  surface: Record<string, readonly string[]>;
  /** JSON. If set, the code has no `svc`. */
  inputs?: string;
  /** All passes of a run must have the same seed. */
  seed: string;
  /** Epoch milliseconds at which the run's clock starts. */
  startedAt: number;
  /** `timeMs`: what is left of the run's whole limit, `wholeMs`. */
  limits: { timeMs: number; memoryMb: number; wholeMs?: number };
}

/**
 * A request of the code to the host. Calls and timers share one numbering, from 0, in the order of
 * issue.
 * Line and column count from 1 in the code as it was sent. Hostile code can forge both.
 */
export type SandboxEvent =
  | { kind: 'call'; number: number; alias: string; action: string; input: string; line?: number; column?: number }
  | { kind: 'timer'; number: number; delayMs: number };

/** The host's answer to one event. The run's clock advances to `now` (epoch ms), but never back. */
export type Completion =
  | { number: number; now: number; ok: true; value: string }
  | { number: number; now: number; ok: false; error: { code: string; message: string; details?: Record<string, unknown> | undefined } };

/**
 * Executes the calls of a pass. A pass is deterministic: its events and its result depend only on
 * the request and the sequence of completions.
 */
export interface PassHost {
  /** Gets the log of the pass, which grows while the code runs. */
  onLogs?(logs: readonly LogLine[]): void;
  /**
   * Called when the isolate is idle, with events since the last completion, perhaps in several
   * parts.
   */
  onEvents(events: SandboxEvent[]): void;
  /** Called while at least one event is unanswered. `pause` ends the pass as paused. */
  nextCompletion(): Promise<Completion | 'pause'>;
}

export type LogLevel = 'log' | 'info' | 'warn' | 'error' | 'debug';

export interface LogLine {
  level: LogLevel;
  message: string;
  /** ISO time of the run's clock. */
  timestamp: string;
}

/** Line and column count from 1 in the code as it was sent. */
interface CodeError {
  code: string;
  message: string;
  line?: number;
  column?: number;
}

/**
 * An error as a runner reports it, with the position in the compiled code. `isOurs`: whether the
 * sandbox set `code`.
 */
export interface ThrownError extends CodeError {
  isOurs: boolean;
}

/** Failures that the code cannot catch. */
export type PassFailure =
  | 'CODE_TIMEOUT'
  | 'CODE_MEMORY'
  | 'CODE_CRASHED'
  | 'CODE_CANCELED'
  | 'CODE_STALLED'
  | 'CODE_CALL_LIMIT'
  | 'CODE_TIMER_LIMIT'
  | 'CODE_INPUT_TOO_LARGE'
  | 'CODE_RESULT_TOO_LARGE'
  | 'CODE_OUTPUT_TOO_LARGE'
  | 'CODE_UNAVAILABLE';

export type PassEnd =
  /** `isNothing`: the code returned undefined, which becomes null in JSON. */
  | { kind: 'returned'; value: string; isNothing?: boolean }
  | { kind: 'threw'; error: CodeError }
  | { kind: 'paused' }
  | {
      kind: 'failed';
      error: { code: PassFailure; message: string };
      /** Killed by an operator or the kernel: a retry may succeed. */
      wasKilled?: boolean;
    };

/** `sandboxMs`: how long the isolate was busy, without waiting for the host. */
export type PassResult = PassEnd & { logs: LogLine[]; sandboxMs: number };
