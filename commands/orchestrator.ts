import type { Approval } from '../domain/approval.ts';

/** What commands ask of the durable side; `infra/temporal.ts` answers. Every call is safe to repeat, and throws UNAVAILABLE within two seconds when Temporal is away. */
export interface Orchestrator {
  /** Makes sure that the approval's workflow runs. */
  startApproval(approval: Approval): Promise<void>;
  /** Tells the approval's workflow, and the code run that waits for it, that it is settled. */
  tellSettled(approval: Approval): Promise<void>;
  /** Starts a code run and waits until its first pass has ended: at a gate, or for good. */
  startCodeRun(run: CodeRunStart): Promise<void>;
  /** Lets a paused run go on when it may, and waits until that pass has ended: at a gate, or for good. */
  continueCodeRun(codeRunId: string): Promise<void>;
  /** Ends a run that waits. */
  cancelCodeRun(codeRunId: string): Promise<void>;
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
