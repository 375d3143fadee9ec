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
  limits: { timeMs: number; memoryMb: number };
}

/** What the code asks of the host, numbered 0, 1, 2 … in the order in which the code issued it, calls and timers together. */
export type SandboxEvent =
  | { kind: 'call'; number: number; alias: string; action: string; input: string }
  | { kind: 'timer'; number: number; delayMs: number };

/** The host's answer to one event. Its `now` (epoch milliseconds) is where the run's clock moves to; the clock never moves back. */
export type Completion =
  | { number: number; now: number; ok: true; value: string }
  | { number: number; now: number; ok: false; error: { code: string; message: string } };

/**
 * The side of a pass that keeps the journal. Same request, same completions, same order: same events, same result.
 * Whatever either function throws ends the pass and is thrown by `runPass`.
 */
export interface PassHost {
  /** Everything issued since the last completion, told once the isolate is idle. All of it at once: how many run at a time is the host's choice. */
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

/** Ends of a pass that the code cannot catch. */
export const PASS_FAILURES = [
  'CODE_TIMEOUT',
  'CODE_MEMORY',
  'CODE_CRASHED',
  'CODE_CANCELED',
  'CODE_STALLED',
  'CODE_CALL_LIMIT',
  'CODE_TIMER_LIMIT',
  'CODE_INPUT_TOO_LARGE',
  'CODE_RESULT_TOO_LARGE',
  'CODE_OUTPUT_TOO_LARGE',
  'CODE_UNAVAILABLE',
] as const;

export type PassFailure = (typeof PASS_FAILURES)[number];

export type PassEnd =
  | { kind: 'returned'; value: string }
  | { kind: 'threw'; error: CodeError }
  | { kind: 'paused' }
  | { kind: 'failed'; error: { code: PassFailure; message: string } };

/** How a pass ended, its log, and the milliseconds in which the isolate was at work (waiting for the host not counted). */
export type PassResult = PassEnd & { logs: LogLine[]; sandboxMs: number };
