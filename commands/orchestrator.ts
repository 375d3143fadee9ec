import type { Approval, Decision } from '../domain/approval.ts';
import type { CodeRunStatus } from '../domain/code-run.ts';

/**
 * The calls to Temporal that commands make. All are idempotent, and throw UNAVAILABLE if Temporal
 * is unavailable.
 */
export interface Orchestrator {
  /** Ensures that the approval's workflow was started. */
  startApproval(approval: Approval): Promise<void>;
  /**
   * Signals that an approval is settled. The approval's workflow and the workflow of its code run
   * get the signal.
   */
  signalSettled(approval: Approval): Promise<void>;
  /** Signals that a continuation resumed the run. `approvalId` is any approval of the run. */
  signalResumed(codeRunId: string, approvalId: string): Promise<void>;
  /** Ensures that the retry workflow of a webhook delivery runs. */
  startDelivery(delivery: DeliveryStart): Promise<void>;
  /**
   * Starts the workflow of a code run, or starts it again if it is gone. With a workflow, the run
   * survives crashes of any process.
   */
  startCodeRun(run: CodeRunStart): Promise<void>;
  /**
   * Resumes a waiting run. Resolves when the run waits for an approval again or has ended. Returns
   * false if its workflow is gone.
   */
  continueCodeRun(codeRunId: string): Promise<boolean>;
  /** Ends the workflow of a run that was canceled in Postgres. */
  cancelCodeRun(codeRunId: string): Promise<void>;
  findRunWorkflow(codeRunId: string): Promise<RunWorkflow>;
  /**
   * Who sent the signal `cancel` to a run's workflow. `nth` counts the signals from 0. If `nth` is
   * null: who canceled the workflow in Temporal. Returns null if Temporal recorded no sender.
   */
  findRunCanceler(codeRunId: string, nth: number | null): Promise<string | null>;
  /**
   * Who sent the signal `decision` to an approval's workflow. `nth` counts the signals from 0.
   * Returns null if Temporal recorded no sender.
   */
  findSignalSender(approvalId: string, decision: Decision, nth: number): Promise<string | null>;
  /** Like `ping`, but concurrent callers share a request. */
  reachable(): Promise<void>;
  /** Throws if Temporal does not respond. */
  ping(): Promise<void>;
  /** True if a worker polled in the last two minutes. Throws if Temporal does not respond. */
  hasWorker(): Promise<boolean>;
  close(): Promise<void>;
}

/** Operators see these names and ids in Temporal. */
export interface CodeRunStart {
  codeRunId: string;
  orgId: string;
  workspaceId: string;
  serverName: string;
  /** The status of a run that ended before its workflow was started. */
  endedAs?: CodeRunStatus | undefined;
}

/**
 * `stopped`: the workflow was ended in Temporal, which also ends the run. `gone`: it ended in
 * another way, or Temporal does not know it.
 */
type RunWorkflow = { state: 'open' | 'gone' } | { state: 'stopped'; by: string | null; reason: string | null };

/** A webhook delivery whose attempt failed. */
export interface DeliveryStart {
  deliveryId: string;
  approvalId: string;
  orgId: string;
  eventType: string;
  delaySeconds: number;
}
