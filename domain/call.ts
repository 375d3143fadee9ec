import type { Actor } from './approval.ts';
import type { PolicySubject } from './policies/match-policies.ts';

/** One attempt to run an action, with merged defaults and validated input. */
export interface Call extends PolicySubject {
  orgId: string;
  connectionId: string | null;
  /** How often the connection was connected; 1 at first. */
  connectionVersion: number | null;
  /** Current hash of an imported action. */
  definitionHash?: string | undefined;
  input: Record<string, unknown>;
  /** Dotted paths of values that a reviewer must not see. */
  hiddenPaths: string[];
  requestedBy: Actor;
  /** When the caller was authenticated, by the database clock. Null for a call of a code run. */
  arrivedAt: Date | null;
  /** Whether the action may be repeated if its outcome is unknown. */
  idempotent: boolean;
  idempotencyKey?: string | undefined;
  /**
   * Hash of the call as the caller sent it. Set if the caller can repeat the call with an
   * idempotency key.
   */
  requestHash?: string | undefined;
  /** Version of the policies when the caller was authenticated. Undefined: the current version. */
  policiesVersion?: number | undefined;
  /**
   * The id of the future record, and the lock number of this process (infra/process-lock.ts). The
   * number is null if the process does not hold its lock.
   */
  attempt?: { callId: string; processLock: number | null } | undefined;
  run?: CallOfRun | undefined;
}

/** The place of a call in a code run. */
export interface CallOfRun {
  codeRunId: string;
  codeHash: string;
  /** Hash of the program's actions at the time of planning. */
  toolSurfaceHash: string | null;
  /** Number of the call in the run, from 0. */
  callNumber: number;
  /** Number of the pass, an execution of the code. A replaced pass can no longer write. */
  passNumber: number;
  /** The start, in milliseconds of the run's running time, which excludes waiting for decisions. */
  startedMs: number;
  /** Hash of the call as the code made it. A later pass must make the same call at this number. */
  requestHash: string;
  /** Position in the caller's code, from 1; null if unknown. */
  line: number | null;
  column: number | null;
  /** The approvals of the plan that cover this call, by policy id. */
  planApprovals: Readonly<Record<string, PlanApproval>>;
}

/** The approval of a plan, and the predicted call that covers an actual call. */
export interface PlanApproval {
  approvalId: string;
  /** Position among the predicted calls of the approval, from 0. */
  plannedCall: number;
}

export type CallStatus = 'gated' | 'blocked' | 'executing' | 'succeeded' | 'failed' | 'unknown';

/** The outcome of a call: its output, or an error for the caller. */
export type CallOutcome = ({ ok: true; output: unknown } | { ok: false; error: CallError }) & { durationMs?: number };

/** The error of a failed call, as the caller sees it. */
export interface CallError {
  code: string;
  message: string;
  details?: Record<string, unknown> | undefined;
}

/** The record of a call without its outcome. */
export interface CallEntry {
  id: string;
  inputHash: string;
  requestHash: string | null;
  status: CallStatus;
  integrationAlias: string | null;
  integrationName: string;
  actionName: string;
  approvalId: string | null;
  callNumber: number | null;
  /**
   * Rank among the completed calls and timers of the run. Null outside a run, before completion,
   * and if the call completed after the end of its run.
   */
  completionNumber: number | null;
  startedAt: Date;
  finishedAt: Date | null;
  /** The start, in milliseconds of the run's running time. Null outside a run. */
  startedMs: number | null;
  /** See `PlanApproval`. */
  plannedCall: number | null;
}

/** The record of a call with its outcome. */
export interface RecordedCall extends CallEntry {
  outcome: CallOutcome | null;
}
