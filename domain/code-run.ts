import type { ActorType } from './approval.ts';

export const CODE_RUN_STATUSES = ['running', 'waiting', 'executed', 'failed', 'rejected', 'expired', 'canceled'] as const;
export type CodeRunStatus = (typeof CODE_RUN_STATUSES)[number];

/** Whether a run has ended. */
export function isFinished(status: CodeRunStatus): boolean {
  return status !== 'running' && status !== 'waiting';
}

/**
 * Whether the output and the logs of a run are still kept. They are kept until `retentionHours`
 * after the end of the run.
 */
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

/**
 * The result of a finished run. At the end of the retention period, its output and its logs are
 * emptied.
 */
export interface CodeRunResult {
  output: unknown;
  /** Whether the code returned nothing. The output is then null. */
  returnedNothing?: boolean;
  error: RunError | null;
  logs: LogLine[];
  timings: { totalExecuteMs: number; sandboxMs: number };
}

/**
 * What is stored of a pass that paused or was stopped. A pass is one execution of the code, from
 * its start to a pause or to the end of the run.
 */
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
   * When the code of the run first ran, by the worker's clock. The clock that the code sees starts
   * at this time. Null before the first pass.
   */
  clockStartedAt: Date | null;
  finishedAt: Date | null;
  /** Seconds since the end of the run, by the database clock. Null while the run is active. */
  finishedSecondsAgo: number | null;
  /** When the output and the logs were deleted, at the end of their retention period. */
  resultDeletedAt: Date | null;
  /** Whether a request that continues the run is waiting for its answer now. */
  isAwaited: boolean;
  /**
   * Whether a pass that began before its workflow task (an eager pass) is under way and renews its
   * lease.
   */
  isLeased: boolean;
  /**
   * The last pass that paused or was stopped. Null before that, after a pass has ended the run, and
   * after the logs were deleted.
   */
  lastPass: PassRecord | null;
  /** The REPLAY_VERSION under which the run is recorded. Null before the first pass. */
  replayVersion: number | null;
}

/** A run that has not ended, without the fields about its end, its waiting caller and its lease. */
export type ActiveRun = Omit<CodeRun, 'result' | 'finishedAt' | 'finishedSecondsAgo' | 'resultDeletedAt' | 'isAwaited' | 'isLeased'>;

/**
 * Version of the replay rules: the order of calls and timers, the clock, and the random numbers.
 * Raise the version when one of these rules changes. A run that was recorded under another version
 * then ends.
 */
export const REPLAY_VERSION = 1;

/** A timer that a run has started. */
export interface RecordedTimer {
  number: number;
  delayMs: number;
  /**
   * When the timer is due, by the wall clock at its creation. Only for information: `dueMs`
   * decides.
   */
  dueAt: Date;
  /** Running time of the run at which the timer is due, in milliseconds. */
  dueMs: number;
  /**
   * Rank of the timer among the completed calls and timers of its run. Null before it completes.
   */
  completionNumber: number | null;
  completedAt: Date | null;
}

/**
 * Work of a run that needs a pass. `resume`: a caller waits for a paused run that can continue.
 * `advance`: a pass is due for another reason, or is under way.
 */
export type DueWork = 'resume' | 'advance';

/**
 * The state of a run after it was advanced. Has only ids, statuses and a time, because it becomes
 * part of the workflow's history.
 */
export interface RunState {
  status: CodeRunStatus;
  /** Ids of the approvals in `approvalIds` that are pending. */
  pendingApprovalIds: string[];
  /** Ids of the approvals of the current plan, and of the latest approval of each call. */
  approvalIds: string[];
  /** When the wait expires, in epoch milliseconds. Null if the run does not wait. */
  waitsUntil: number | null;
}
