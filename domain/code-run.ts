import type { ActorType } from './approval.ts';

export const CODE_RUN_STATUSES = ['running', 'waiting', 'executed', 'failed', 'rejected', 'expired', 'canceled'] as const;
export type CodeRunStatus = (typeof CODE_RUN_STATUSES)[number];

/** Whether a run has ended. */
export function isFinished(status: CodeRunStatus): boolean {
  return status !== 'running' && status !== 'waiting';
}

/** Whether the output and the logs of a run are still kept. */
export function isResultKept({ finishedSecondsAgo, resultDeletedAt }: CodeRun, retentionHours: number): boolean {
  return resultDeletedAt === null && (finishedSecondsAgo === null || finishedSecondsAgo <= retentionHours * 3600);
}

export interface LogLine {
  level: 'log' | 'debug' | 'info' | 'warn' | 'error';
  message: string;
  timestamp: string;
}

/** The error of a run. Line and column are positions in its code, from 1. */
export interface RunError {
  code: string;
  message: string;
  line?: number | undefined;
  column?: number | undefined;
}

/** The result of a finished run. Output and logs are emptied at the end of the retention period. */
export interface CodeRunResult {
  output: unknown;
  /** If true, `output` is null. */
  returnedNothing?: boolean;
  error: RunError | null;
  logs: LogLine[];
  timings: { totalExecuteMs: number; sandboxMs: number };
}

/** What is stored of a pass that paused or was stopped. A pass is one execution of the code. */
export interface PassRecord {
  passNumber: number;
  logs: LogLine[];
  sandboxMs: number;
}

/** A run of caller-written code, in one or several passes. */
export interface CodeRun {
  id: string;
  orgId: string;
  workspaceId: string;
  mcpServerId: string;
  endUserId: string | null;
  requestedByType: ActorType;
  requestedById: string | null;
  status: CodeRunStatus;
  code: string;
  codeHash: string;
  toolSurfaceHash: string | null;
  passNumber: number;
  runningMs: number;
  result: CodeRunResult | null;
  createdAt: Date;
  /**
   * When the code first ran, by the worker's clock. The code's own clock starts at this time. Null
   * before the first pass.
   */
  clockStartedAt: Date | null;
  finishedAt: Date | null;
  /** Seconds since the end of the run, by the database clock. Null while the run is active. */
  finishedSecondsAgo: number | null;
  resultDeletedAt: Date | null;
  /** Whether a request that continues the run is waiting for its answer. */
  isAwaited: boolean;
  /** Whether an eager pass, which began before its workflow task, holds a lease. */
  isLeased: boolean;
  /**
   * The last pass that paused or was stopped. Null if there is none, if `result` has its log, or if
   * the log is deleted.
   */
  lastPass: PassRecord | null;
  /** The REPLAY_VERSION under which the run is recorded. Null before the first pass. */
  replayVersion: number | null;
}

/** A run that has not ended. */
export type ActiveRun = Omit<CodeRun, 'result' | 'finishedAt' | 'finishedSecondsAgo' | 'resultDeletedAt' | 'isAwaited' | 'isLeased'>;

/**
 * Version of the replay rules: order of calls and timers, clock, random numbers. Raise it when a
 * rule changes. A run with records of another version then fails at its next pass.
 */
export const REPLAY_VERSION = 1;

/** A timer that a run has started. */
export interface RecordedTimer {
  number: number;
  delayMs: number;
  /** Only for information: `dueMs` decides. */
  dueAt: Date;
  /** When the timer is due, in milliseconds of the run's running time. */
  dueMs: number;
  /** Rank among the completed calls and timers of the run. Null before completion. */
  completionNumber: number | null;
  completedAt: Date | null;
}

/**
 * `resume`: a caller waits for a paused run that can continue. `advance`: a pass is due for another
 * reason, or is under way.
 */
export type DueWork = 'resume' | 'advance';

/**
 * The state of a run after it was advanced. It becomes part of the workflow's history, so it has
 * only ids, statuses and a time.
 */
export interface RunState {
  status: CodeRunStatus;
  pendingApprovalIds: string[];
  /** The approvals of the current plan, and the latest approval of each call. */
  approvalIds: string[];
  /** When the wait expires, in epoch milliseconds. Null if the run does not wait. */
  waitsUntil: number | null;
}
