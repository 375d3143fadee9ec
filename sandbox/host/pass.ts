import type { RunnableCode } from '../reader/prepare-code.ts';

/** The principal for whom code runs. A runner process serves one principal and no other. */
export interface CodePrincipal {
  orgId: string;
  workspaceId: string;
  endUserId: string | null;
}

/** The input of one pass. */
export interface PassRequest {
  principal: CodePrincipal;
  /**
   * The caller's code, parsed. Null if parsing took too long: the pass then fails. A promise is
   * awaited.
   */
  program: RunnableCode | null | Promise<RunnableCode | null>;
  /** Alias → action names, with their hyphens. */
  surface: Record<string, readonly string[]>;
  /** JSON, for a computation: the code gets it as `inputs`, and has no `svc`. */
  inputs?: string;
  /** Seeds Math.random and crypto. The same for every pass of a run. */
  seed: string;
  /** Epoch milliseconds at which the run's clock starts. */
  startedAt: number;
  /** `timeMs`: the part of the run's time limit `wholeMs` that earlier passes left. */
  limits: { timeMs: number; memoryMb: number; wholeMs?: number };
}

/**
 * A request of the code to the host. Calls and timers are numbered together, from 0, in the order
 * of issue. Line and column count from 1 in the code as it was sent. They are only shown to people:
 * hostile code can forge them.
 */
export type SandboxEvent =
  | { kind: 'call'; number: number; alias: string; action: string; input: string; line?: number; column?: number }
  | { kind: 'timer'; number: number; delayMs: number };

/**
 * The host's answer to one event. The run's clock moves on to `now` (epoch milliseconds), never
 * back.
 */
export type Completion =
  | { number: number; now: number; ok: true; value: string }
  | { number: number; now: number; ok: false; error: { code: string; message: string; details?: Record<string, unknown> | undefined } };

/**
 * The side of a pass that keeps the journal. The same request with the same completions in the same
 * order leads to the same events and the same result. An error of the host ends the pass, and
 * `runPass` throws it.
 */
export interface PassHost {
  /**
   * Called once, before anything else, with the log of the pass, which grows as the code writes.
   */
  onLogs?(logs: readonly LogLine[]): void;
  /**
   * Called when the isolate is idle, with everything issued since the last completion. Large inputs
   * come in chunks. The host decides how many calls run at a time.
   */
  onEvents(events: SandboxEvent[]): void;
  /**
   * Called while the isolate is idle and something is outstanding. `pause` ends the pass as paused.
   */
  nextCompletion(): Promise<Completion | 'pause'>;
}

export type LogLevel = 'log' | 'info' | 'warn' | 'error' | 'debug';

export interface LogLine {
  level: LogLevel;
  message: string;
  /** ISO time by the run's own clock. */
  timestamp: string;
}

/** An error of the caller's code; line and column count from 1 in the code as it was sent. */
interface CodeError {
  code: string;
  message: string;
  line?: number;
  column?: number;
}

/**
 * An error as a runner reports it. `isOurs`: the sandbox set its code, not the caller's program.
 */
export interface ThrownError extends CodeError {
  isOurs: boolean;
}

/** Ends of a pass that the code cannot catch. */
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
      /**
       * Another process killed the runner: an operator, or a kernel out of memory. A retry may
       * succeed.
       */
      wasKilled?: boolean;
    };

/**
 * How a pass ended, its log, and the milliseconds in which the isolate was busy. Time spent waiting
 * for the host does not count.
 */
export type PassResult = PassEnd & { logs: LogLine[]; sandboxMs: number };
