import type { RunnableCode } from '../reader/prepare-code.ts';

/** The principal for whom code runs. A runner process serves only one principal. */
export interface CodePrincipal {
  orgId: string;
  workspaceId: string;
  /** Null if the code runs for the workspace and not for an end user. */
  endUserId: string | null;
}

/** The input of a pass, which is one execution of the code from the start to the end or a pause. */
export interface PassRequest {
  principal: CodePrincipal;
  /**
   * The caller's parsed code, or a promise of it. Null if parsing took too long: the pass then
   * fails.
   */
  program: RunnableCode | null | Promise<RunnableCode | null>;
  /** The names of the actions that the code may call, by alias, as the catalog spells them. */
  surface: Record<string, readonly string[]>;
  /** JSON that a computation gets as `inputs`. If set, the code has no `svc`. */
  inputs?: string;
  /** The seed of Math.random and crypto. All passes of a run must have the same seed. */
  seed: string;
  /** Epoch milliseconds at which the run's clock starts. */
  startedAt: number;
  /** `timeMs`: the time that is left of the run's whole time limit, `wholeMs`. */
  limits: { timeMs: number; memoryMb: number; wholeMs?: number };
}

/**
 * A request of the code to the host. Calls and timers share one numbering, from 0, in the order of
 * issue. Line and column count from 1 in the code as it was sent. Show line and column to people,
 * but do not rely on them: hostile code can forge both.
 */
export type SandboxEvent =
  | { kind: 'call'; number: number; alias: string; action: string; input: string; line?: number; column?: number }
  | { kind: 'timer'; number: number; delayMs: number };

/**
 * The host's answer to one event. The run's clock advances to `now` (epoch milliseconds). An
 * earlier time leaves the clock unchanged.
 */
export type Completion =
  | { number: number; now: number; ok: true; value: string }
  | { number: number; now: number; ok: false; error: { code: string; message: string; details?: Record<string, unknown> | undefined } };

/**
 * The side of a pass that executes calls and keeps the journal. A pass is deterministic: its events
 * and its result depend only on the request and the sequence of completions. An error of the host
 * ends the pass, and `runPass` throws that error.
 */
export interface PassHost {
  /**
   * Called once, before the other methods, with the log of the pass. The list grows while the code
   * runs.
   */
  onLogs?(logs: readonly LogLine[]): void;
  /**
   * Called when the isolate is idle, with events that were issued since the last completion. Many
   * events are spread over several calls. The host decides how many actions run in parallel.
   */
  onEvents(events: SandboxEvent[]): void;
  /**
   * Called while the isolate is idle and at least one event is unanswered. Resolves to an answer,
   * or to `pause`, which ends the pass as paused.
   */
  nextCompletion(): Promise<Completion | 'pause'>;
}

export type LogLevel = 'log' | 'info' | 'warn' | 'error' | 'debug';

export interface LogLine {
  level: LogLevel;
  message: string;
  /** ISO time of the run's clock. */
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
 * An error as a runner reports it, with the position in the compiled code. `isOurs`: whether the
 * sandbox set `code`, rather than the caller's program.
 */
export interface ThrownError extends CodeError {
  isOurs: boolean;
}

/** Failures that end a pass and that the code cannot catch. */
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
       * True if the runner was killed: by an operator, or by the kernel because memory ran out. A
       * retry may succeed.
       */
      wasKilled?: boolean;
    };

/**
 * How a pass ended, its log, and the milliseconds in which the isolate was busy. Time spent waiting
 * for the host does not count.
 */
export type PassResult = PassEnd & { logs: LogLine[]; sandboxMs: number };
