import type { Approval, Decision } from '../domain/approval.ts';
import type { CodeRunStatus } from '../domain/code-run.ts';

/**
 * The interface of commands to Temporal, implemented in `infra/temporal.ts`. Every call is
 * idempotent, and throws UNAVAILABLE within two seconds if Temporal is unavailable.
 */
export interface Orchestrator {
  /** Ensures that the approval's workflow runs. */
  startApproval(approval: Approval): Promise<void>;
  /**
   * Signals that an approval is settled: to its workflow, and to that of the code run that waits
   * for it.
   */
  signalSettled(approval: Approval): Promise<void>;
  /** Ensures that the retry workflow of a webhook delivery runs. */
  startDelivery(delivery: DeliveryStart): Promise<void>;
  /**
   * Starts the workflow of a code run, or starts it again if it is gone. The run then survives
   * crashes of any process. The workflow of a run that has ended only records its end, once.
   */
  startCodeRun(run: CodeRunStart): Promise<void>;
  /**
   * Resumes a paused run if it can continue, and waits until its pass has ended, at a gate or for
   * good. False if its workflow is gone.
   */
  continueCodeRun(codeRunId: string): Promise<boolean>;
  /** Ends the workflow of a run that was canceled in Postgres. */
  cancelCodeRun(codeRunId: string): Promise<void>;
  /** The state of a run's workflow. */
  findRunWorkflow(codeRunId: string): Promise<RunWorkflow>;
  /**
   * The sender of the nth signal `cancel` to a run's workflow, from 0; for null, who requested its
   * cancellation in Temporal. Null if Temporal recorded no sender.
   */
  findRunCanceler(codeRunId: string, nth: number | null): Promise<string | null>;
  /**
   * Who sent the nth signal of that name to an approval's workflow, from 0; null if Temporal
   * recorded no sender.
   */
  findSignalSender(approvalId: string, decision: Decision, nth: number): Promise<string | null>;
  /** Throws UNAVAILABLE unless Temporal answers now. Concurrent callers share a request. */
  reachable(): Promise<void>;
  /** Throws unless Temporal responds. */
  ping(): Promise<void>;
  /** Whether a worker polled in the last two minutes. Throws unless Temporal responds. */
  hasWorker(): Promise<boolean>;
  close(): Promise<void>;
}

/** Names and ids that operators see in Temporal; no code, no input. */
export interface CodeRunStart {
  codeRunId: string;
  orgId: string;
  workspaceId: string;
  serverName: string;
  /** The status of a run that ended before its workflow was started. */
  endedAs?: CodeRunStatus | undefined;
}

/**
 * `stopped`: it was ended in Temporal, and the run with it. `gone`: it ended in another way, or
 * Temporal does not know it.
 */
type RunWorkflow = { state: 'open' | 'gone' } | { state: 'stopped'; by: string | null; reason: string | null };

/** A delivery whose first attempt failed: its ids, and the delay of the next attempt. */
export interface DeliveryStart {
  deliveryId: string;
  approvalId: string;
  orgId: string;
  eventType: string;
  delaySeconds: number;
}
