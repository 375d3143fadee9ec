import type { Approval, Decision } from '../domain/approval.ts';

/** What commands ask of the durable side; `infra/temporal.ts` answers. Every call is safe to repeat, and throws UNAVAILABLE within two seconds when Temporal is away. */
export interface Orchestrator {
  /** Makes sure that the approval's workflow runs. */
  startApproval(approval: Approval): Promise<void>;
  /** Tells the approval's workflow, and the code run that waits for it, that it is settled. */
  tellSettled(approval: Approval): Promise<void>;
  /** Makes sure that the retries of a webhook delivery are made. */
  startDelivery(delivery: DeliveryStart): Promise<void>;
  /** Starts a code run, or its workflow anew where that is gone: from then on it goes its way whatever dies. */
  startCodeRun(run: CodeRunStart): Promise<void>;
  /** Waits until the first pass of a run has ended: at a gate, or for good. */
  awaitFirstPass(codeRunId: string): Promise<void>;
  /** Lets a paused run go on when it may, and waits until that pass has ended: at a gate, or for good. False when its workflow is gone. */
  continueCodeRun(codeRunId: string): Promise<boolean>;
  /** Lets the workflow of a run that was canceled in Postgres end. */
  cancelCodeRun(codeRunId: string): Promise<void>;
  /** Whether the workflow of a run is there. */
  findRunWorkflow(codeRunId: string): Promise<RunWorkflow>;
  /** Who sent the nth signal `cancel` to the workflow of a run, from 0, or (null) asked Temporal to cancel it; null where it recorded nobody. */
  findRunCanceler(codeRunId: string, nth: number | null): Promise<string | null>;
  /** Who sent the nth signal of that name to an approval's workflow, from 0, by what Temporal recorded; null where it recorded nobody. */
  findSignalSender(approvalId: string, decision: Decision, nth: number): Promise<string | null>;
  /** Throws unless Temporal answers. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Names and ids for the operator's eye; no code, no input. */
export interface CodeRunStart {
  codeRunId: string;
  orgId: string;
  workspaceId: string;
  serverName: string;
}

/** `stopped`: somebody ended it in Temporal, and the run with it. `gone`: it ended in another way, or Temporal knows nothing of it. */
export type RunWorkflow = { state: 'open' | 'gone' } | { state: 'stopped'; by: string | null; reason: string | null };

/** A delivery whose first attempt failed: ids, and when to try again. */
export interface DeliveryStart {
  deliveryId: string;
  approvalId: string;
  orgId: string;
  eventType: string;
  delaySeconds: number;
}
