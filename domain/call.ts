import type { Actor } from './approval.ts';
import type { PolicySubject } from './match-policies.ts';

/** One attempt to run an action, with everything final: defaults merged, input validated, connection chosen. */
export interface Call extends PolicySubject {
  orgId: string;
  connectionId: string | null;
  /** How often that connection was connected anew. */
  connectionVersion: number | null;
  input: Record<string, unknown>;
  /** Dotted paths of values that a reviewer must not see, such as enforced partial values. */
  hiddenPaths: string[];
  requestedBy: Actor;
  /** When the caller was authenticated, by the database clock; null for a call of a code run. */
  arrivedAt: Date | null;
  /** Whether the action may simply be made again when its outcome is unknown. */
  idempotent: boolean;
  idempotencyKey?: string | undefined;
  /** Hash of the call as the caller sent it, where a caller may repeat it by an idempotency key. */
  requestHash?: string | undefined;
  /** Version of the policies when the caller was authenticated; undefined: look it up. */
  policiesVersion?: number | undefined;
  /** The id that its record will have, and the lock of the process that makes it (infra/process-lock.ts); undefined for a call of a code run, which a pass makes. */
  attempt?: { callId: string; processLock: number | null } | undefined;
  /** Set for a call of a code run. */
  run?: CallOfRun | undefined;
}

/** Where a call stands in a code run. */
export interface CallOfRun {
  codeRunId: string;
  codeHash: string;
  /** Of what the plan rests on. */
  toolSurfaceHash: string | null;
  callNumber: number;
  /** The pass that makes it; a pass that was replaced can write nothing. */
  passNumber: number;
  /** Milliseconds of running time into the run at which it was made; waiting for people does not count. */
  startedMs: number;
  /** Hash of the call as the code made it; a later pass must make the same one in its place. */
  requestHash: string;
  /** Where in the caller's code it stands, counted from 1; null where that is not known. */
  line: number | null;
  column: number | null;
  /** Approvals of the run's plan that cover this very call, by the id of the policy that asked for each. */
  planApprovals: Readonly<Record<string, string>>;
}

export type CallStatus = 'gated' | 'blocked' | 'executing' | 'succeeded' | 'failed' | 'unknown';

/** What became of a call: what the action answered, or why it failed in words for the caller. */
export type CallOutcome = ({ ok: true; output: unknown } | { ok: false; error: CallError }) & { durationMs?: number };

export interface CallError {
  code: string;
  message: string;
  details?: Record<string, unknown> | undefined;
}

/** The record of a call, without what became of it. */
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
  completionNumber: number | null;
  startedAt: Date;
  finishedAt: Date | null;
  /** Of a call of a code run: running time into the run, in milliseconds. */
  startedMs: number | null;
}

/** The whole record of a call. */
export interface RecordedCall extends CallEntry {
  outcome: CallOutcome | null;
}
