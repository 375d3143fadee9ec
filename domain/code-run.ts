import type { ActorType } from './approval.ts';

export const CODE_RUN_STATUSES = ['running', 'waiting', 'executed', 'failed', 'rejected', 'expired', 'canceled'] as const;
export type CodeRunStatus = (typeof CODE_RUN_STATUSES)[number];

/** True when nothing more will happen to a run. */
export function isFinished(status: CodeRunStatus): boolean {
  return status !== 'running' && status !== 'waiting';
}

/** Whether the output and the log of a run are still kept: until this many hours after its end. */
export function isResultKept({ finishedSecondsAgo, resultDeletedAt }: CodeRun, retentionHours: number): boolean {
  return resultDeletedAt === null && (finishedSecondsAgo === null || finishedSecondsAgo <= retentionHours * 3600);
}

export interface LogLine {
  level: 'log' | 'debug' | 'info' | 'warn' | 'error';
  message: string;
  timestamp: string;
}

export interface RunError {
  code: string;
  message: string;
  line?: number | undefined;
  column?: number | undefined;
}

/** The answer of a finished run, kept until its retention is over. */
export interface CodeRunResult {
  output: unknown;
  /** The code returned nothing, so the output is null. */
  returnedNothing?: boolean;
  error: RunError | null;
  logs: LogLine[];
  timings: { totalExecuteMs: number; sandboxMs: number };
}

/** The stored part of a pass that did not end its run: it paused, or was stopped. */
export interface PassRecord {
  passNumber: number;
  logs: LogLine[];
  sandboxMs: number;
}

/** One execution of caller-written code. */
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
   * When its code first ran, by the worker's clock. The run's own clock starts there. Null before
   * the first pass.
   */
  clockStartedAt: Date | null;
  finishedAt: Date | null;
  /** By the database clock. */
  finishedSecondsAgo: number | null;
  /** When its output and log were deleted at the end of their retention. */
  resultDeletedAt: Date | null;
  /** A continuation waits for it now. */
  isAwaited: boolean;
  /** An eager pass is under way, and its process renews the lease. */
  isLeased: boolean;
  /** The last pass that paused or was stopped; null once a pass has ended the run. */
  lastPass: PassRecord | null;
  /** REPLAY_VERSION of its journal; null before the first pass. */
  replayVersion: number | null;
}

/** A run that has not ended, without the fields of its end. */
export type ActiveRun = Omit<CodeRun, 'result' | 'finishedAt' | 'finishedSecondsAgo' | 'resultDeletedAt' | 'isAwaited' | 'isLeased'>;

/**
 * Version of the replay rules: the order in which code issues calls and timers, its clock, its
 * random numbers. Raise it when one of them changes. Runs recorded under another version then end.
 */
export const REPLAY_VERSION = 1;

/** A timer of a run's journal. */
export interface RecordedTimer {
  number: number;
  delayMs: number;
  /** By the wall clock when it was set; `dueMs` decides. */
  dueAt: Date;
  /** Running time of the run at which it is due. */
  dueMs: number;
  completionNumber: number | null;
  completedAt: Date | null;
}

/**
 * The state of a run after it was advanced. Ids and statuses only: it enters the workflow's
 * history.
 */
export interface RunState {
  status: CodeRunStatus;
  /** Current approvals that are pending. */
  pendingApprovalIds: string[];
  /** Current approvals in any status. */
  approvalIds: string[];
  /** Epoch milliseconds at which the wait expires; null unless the run waits. */
  waitsUntil: number | null;
}
