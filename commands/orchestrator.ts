import type { Approval, Decision } from '../domain/approval.ts';
import type { CodeRunStatus } from '../domain/code-run.ts';

/**
 * The calls to Temporal that commands make. `infra/temporal.ts` implements them. All calls are
 * idempotent. If Temporal is unavailable, they throw UNAVAILABLE: in the API within two seconds by
 * default, in a worker within twice that time.
 */
export interface Orchestrator {
  /** Ensures that the approval's workflow was started. */
  startApproval(approval: Approval): Promise<void>;
  /**
   * Signals to the workflow of an approval that the approval is settled. Sends the signal also to
   * the workflow of the code run that waits for the approval.
   */
  signalSettled(approval: Approval): Promise<void>;
  /**
   * Signals to the workflow of a code run that a continuation resumed the run. `approvalId` is any
   * approval of the run.
   */
  signalResumed(codeRunId: string, approvalId: string): Promise<void>;
  /** Ensures that the retry workflow of a webhook delivery runs. */
  startDelivery(delivery: DeliveryStart): Promise<void>;
  /**
   * Starts the workflow of a code run, or starts it again if it is gone. With a workflow, the run
   * survives crashes of any process. If the run has already ended, its workflow only records the
   * end, once.
   */
  startCodeRun(run: CodeRunStart): Promise<void>;
  /**
   * Resumes a waiting run if the run can continue. Resolves when the run waits for an approval
   * again or has ended. Returns false if the workflow of the run is gone.
   */
  continueCodeRun(codeRunId: string): Promise<boolean>;
  /** Ends the workflow of a run that was canceled in Postgres. */
  cancelCodeRun(codeRunId: string): Promise<void>;
  /** Returns the state of a run's workflow. */
  findRunWorkflow(codeRunId: string): Promise<RunWorkflow>;
  /**
   * Returns who sent the signal `cancel` to a run's workflow. `nth` counts these signals from 0.
   * For `nth` null, returns who requested the cancellation in Temporal. Returns null if Temporal
   * recorded no sender.
   */
  findRunCanceler(codeRunId: string, nth: number | null): Promise<string | null>;
  /**
   * Returns who sent the signal named `decision` to an approval's workflow. `nth` counts these
   * signals from 0. Returns null if Temporal recorded no sender.
   */
  findSignalSender(approvalId: string, decision: Decision, nth: number): Promise<string | null>;
  /** Like `ping`, but concurrent callers share a request. */
  reachable(): Promise<void>;
  /** Throws if Temporal does not respond. */
  ping(): Promise<void>;
  /**
   * Returns true if a worker polled in the last two minutes. Throws if Temporal does not respond.
   */
  hasWorker(): Promise<boolean>;
  close(): Promise<void>;
}

/** Names and ids that operators see in Temporal. Contains no code and no input. */
export interface CodeRunStart {
  codeRunId: string;
  orgId: string;
  workspaceId: string;
  serverName: string;
  /** The status of a run that ended before its workflow was started. */
  endedAs?: CodeRunStatus | undefined;
}

/**
 * `stopped`: the workflow was ended in Temporal, which also ends the run. `gone`: the workflow
 * ended in another way, or Temporal does not know the workflow.
 */
type RunWorkflow = { state: 'open' | 'gone' } | { state: 'stopped'; by: string | null; reason: string | null };

/** A webhook delivery whose attempt failed: its ids, and the delay of the next attempt. */
export interface DeliveryStart {
  deliveryId: string;
  approvalId: string;
  orgId: string;
  eventType: string;
  delaySeconds: number;
}
