import type { ActorType } from './approval.ts';

export const CODE_RUN_STATUSES = ['running', 'waiting', 'executed', 'failed', 'rejected', 'expired', 'canceled'] as const;
export type CodeRunStatus = (typeof CODE_RUN_STATUSES)[number];

/** True when nothing more will happen to a run. */
export function isFinished(status: CodeRunStatus): boolean {
  return status !== 'running' && status !== 'waiting';
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
  error: RunError | null;
  logs: LogLine[];
  timings: { totalExecuteMs: number; sandboxMs: number };
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
  finishedAt: Date | null;
  /** By the database clock. */
  finishedSecondsAgo: number | null;
  /** A continuation waits for it at this moment. */
  isAwaited: boolean;
}

/** A timer of a run's journal. */
export interface RecordedTimer {
  number: number;
  delayMs: number;
  dueAt: Date;
  completionNumber: number | null;
  completedAt: Date | null;
}
