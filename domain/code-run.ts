import type { ActorType } from './approval.ts';

export const CODE_RUN_STATUSES = ['running', 'waiting', 'executed', 'failed', 'rejected', 'expired', 'canceled'] as const;
export type CodeRunStatus = (typeof CODE_RUN_STATUSES)[number];

/** True when nothing more will happen to a run. */
export function isFinished(status: CodeRunStatus): boolean {
  return status !== 'running' && status !== 'waiting';
}

/** Whether the output and the logs of a run are answered: until so many hours after its end. */
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

/** What a finished run answers, again and again until its retention is over. */
export interface CodeRunResult {
  output: unknown;
  /** The output is null since the code returned nothing. */
  returnedNothing?: boolean;
  error: RunError | null;
  logs: LogLine[];
  timings: { totalExecuteMs: number; sandboxMs: number };
}

/** What a pass wrote that did not end its run: it paused, or was stopped. */
export interface PassRecord {
  passNumber: number;
  logs: LogLine[];
  sandboxMs: number;
}

/** One execution of caller-written code (design: gates and durable code runs). */
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
  /** When its code first ran, by the clock of the worker: its own clock starts from there. Null before, and in runs of before. */
  clockStartedAt: Date | null;
  finishedAt: Date | null;
  /** By the database clock. */
  finishedSecondsAgo: number | null;
  /** When its output and logs were deleted, their time being over. */
  resultDeletedAt: Date | null;
  /** A continuation waits for it at this moment. */
  isAwaited: boolean;
  /** A pass is under way that began ahead of the task of its workflow, and lives. */
  isLeased: boolean;
  /** Of the last pass that paused or was stopped; null once a pass has ended the run. */
  lastPass: PassRecord | null;
  /** REPLAY_VERSION of its record; null before the first pass, and in runs of before. */
  replayVersion: number | null;
}

/**
 * The rules by which a pass repeats what earlier ones recorded: in which order the code asks for what, how its clock moves, what chance gives it. Counted up
 * when one of them changes: runs that have a record by the rules of before end then, saying so.
 */
export const REPLAY_VERSION = 1;

/** A timer of a run's journal. */
export interface RecordedTimer {
  number: number;
  delayMs: number;
  /** By the clock at which it was set; `dueMs` decides. */
  dueAt: Date;
  /** Running time of the run at which it is due; null in records of before. */
  dueMs: number | null;
  completionNumber: number | null;
  completedAt: Date | null;
}
