import type { Actor } from './approval.ts';
import type { PolicySubject } from './policies/match-policies.ts';

/**
 * One attempt to run an action. The defaults are merged, the input is validated and the connection
 * is chosen.
 */
export interface Call extends PolicySubject {
  orgId: string;
  connectionId: string | null;
  /** How often the connection was connected; 1 at first. */
  connectionVersion: number | null;
  /** For an action of an imported integration: the current hash of the action. */
  definitionHash?: string | undefined;
  input: Record<string, unknown>;
  /** Dotted paths of values that a reviewer must not see, such as enforced partial values. */
  hiddenPaths: string[];
  requestedBy: Actor;
  /** When the caller was authenticated, by the database clock. Null for a call of a code run. */
  arrivedAt: Date | null;
  /** Whether the action may be repeated if its outcome is unknown. */
  idempotent: boolean;
  idempotencyKey?: string | undefined;
  /**
   * Hash of the call in the form that the caller sent. Set if the caller can repeat the call with
   * an idempotency key.
   */
  requestHash?: string | undefined;
  /**
   * Version of the policies when the caller was authenticated. If undefined, the current version is
   * read.
   */
  policiesVersion?: number | undefined;
  /**
   * The id of the call's future record, and the lock number of the process that makes the call
   * (infra/process-lock.ts). The number is null if the process does not hold its lock. Undefined
   * for a call of a code run.
   */
  attempt?: { callId: string; processLock: number | null } | undefined;
  /** Set for a call of a code run. */
  run?: CallOfRun | undefined;
}

/** The place of a call in a code run. */
export interface CallOfRun {
  codeRunId: string;
  codeHash: string;
  /** Hash of the actions that the program uses, at the time of the plan. */
  toolSurfaceHash: string | null;
  /** Number of the call in the run, from 0. */
  callNumber: number;
  /**
   * Number of the pass (execution of the code) that makes the call. A pass that was replaced can no
   * longer write.
   */
  passNumber: number;
  /**
   * When the call was made, in milliseconds of the run's running time. The running time excludes
   * waiting for decisions.
   */
  startedMs: number;
  /**
   * Hash of the call in the form that the code made. A later pass must make the same call at this
   * call number.
   */
  requestHash: string;
  /** Position of the call in the caller's code, from 1; null if unknown. */
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
   * Rank of the call among the completed calls and timers of its run. Null outside a run and before
   * completion. Also null if the call completed after its pass was replaced.
   */
  completionNumber: number | null;
  startedAt: Date;
  finishedAt: Date | null;
  /** For a call of a code run: its start, in milliseconds of the run's running time. */
  startedMs: number | null;
  /** For a call under an approval of a plan: its predicted call (see `PlanApproval`). */
  plannedCall: number | null;
}

/** The record of a call with its outcome. */
export interface RecordedCall extends CallEntry {
  outcome: CallOutcome | null;
}
