/** What one pass is asked to run (design: gates and runs, Pass). */
export interface PassRequest {
  /** The caller's source exactly as it was sent. */
  code: string;
  /** Alias → action names, both as the workspace knows them; hyphens stay. */
  surface: Record<string, readonly string[]>;
  /** JSON. Set for a computation: the code finds it as `inputs`, and no `svc`. */
  inputs?: string;
  /** The same for every pass of one run: seeds Math.random and crypto. */
  seed: string;
  /** Epoch milliseconds at which the run's clock starts. */
  startedAt: number;
  /** `wholeMs`: the run's whole time, where `timeMs` is what earlier passes left of it. */
  limits: { timeMs: number; memoryMb: number; wholeMs?: number };
  /** Whose code it is: parties take turns at having theirs read. */
  party?: string;
}

/**
 * What the code asks of the host, numbered 0, 1, 2 … in the order in which the code issued it, calls and timers together. Line and column of a call count
 * from 1 in the code as it was sent, and are for people alone: the code may have given itself away as being elsewhere.
 */
export type SandboxEvent =
  | { kind: 'call'; number: number; alias: string; action: string; input: string; line?: number; column?: number }
  | { kind: 'timer'; number: number; delayMs: number };

/** The host's answer to one event. Its `now` (epoch milliseconds) is where the run's clock moves to; the clock never moves back. */
export type Completion =
  | { number: number; now: number; ok: true; value: string }
  | { number: number; now: number; ok: false; error: { code: string; message: string; details?: Record<string, unknown> | undefined } };

/**
 * The side of a pass that keeps the journal. Same request, same completions, same order: same events, same result.
 * Whatever either function throws ends the pass and is thrown by `runPass`.
 */
export interface PassHost {
  /** Told once, before anything else: the log of the pass, which grows as the code writes. */
  onLogs?(logs: readonly LogLine[]): void;
  /** Everything issued since the last completion, told once the isolate is idle. How many run at a time is the host's choice. Large inputs come in portions, one call of this after the other. */
  onEvents(events: SandboxEvent[]): void;
  /** Asked only while the isolate is idle and something is outstanding; `pause` ends the pass with `{ kind: 'paused' }`. */
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
export interface CodeError {
  code: string;
  message: string;
  line?: number;
  column?: number;
}

/** The same as a runner tells it: whether the code is one that the sandbox gave the error itself, or one that the caller's code wrote on it. */
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
  /** `isNothing`: the code returned undefined, of which JSON makes null. */
  | { kind: 'returned'; value: string; isNothing?: boolean }
  | { kind: 'threw'; error: CodeError }
  | { kind: 'paused' }
  | {
      kind: 'failed';
      error: { code: PassFailure; message: string };
      /** The process of the code was killed, and not by us: by an operator, or by a kernel that was out of memory. Another pass may fare better. */
      wasKilled?: boolean;
    };

/**
 * How a pass ended, its log, the milliseconds in which the isolate was at work (waiting for the host not counted), and those before in which the
 * code was read, or waited for its turn to be: they are no running time.
 */
export type PassResult = PassEnd & { logs: LogLine[]; sandboxMs: number; readMs?: number };
