import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { defineSignal, defineUpdate } from '@temporalio/workflow';
import type { ApprovalStatus, Decision } from '../domain/approval.ts';
import type { CodeRunStatus } from '../domain/code-run.ts';

/** Names, ids and shapes that the workflows share with those who start and signal them. Ids and statuses only: histories hold nothing else. */

export const APPROVAL_WORKFLOW = 'approvalWorkflow';
export const CODE_RUN_WORKFLOW = 'codeRunWorkflow';

export function approvalWorkflowId(approvalId: string): string {
  return `approval/${approvalId}`;
}

export function codeRunWorkflowId(codeRunId: string): string {
  return `code-run/${codeRunId}`;
}

/** Passes have a queue beside that of the workflows. */
export function codeTaskQueue(taskQueue: string): string {
  return `${taskQueue}-code`;
}

export interface ApprovalStart {
  approvalId: string;
  /** Epoch milliseconds. */
  expiresAt: number;
}

/** What an operator sends with a signal from the Temporal UI: nothing, a sentence, or `{ "reason": … }`. */
export type OperatorNote = string | { reason?: string } | undefined;

/** Signals that an operator sends from the Temporal UI; the names are the decisions. */
export const operatorSignals: Record<Decision, ReturnType<typeof defineSignal<[OperatorNote?]>>> = {
  approve: defineSignal<[OperatorNote?]>('approve'),
  reject: defineSignal<[OperatorNote?]>('reject'),
  cancel: defineSignal<[OperatorNote?]>('cancel'),
};

/** Tells an approval's workflow that Postgres holds a decision. */
export const settledSignal = defineSignal('settled');

export interface CodeRunInput {
  codeRunId: string;
}

/** Tells a code run that one of its approvals was settled. */
export const approvalSettledSignal = defineSignal<[string]>('approvalSettled');

/** Ends a code run: by an operator, or because what it belongs to was deleted. */
export const cancelRunSignal = defineSignal('cancel');

/** Waits until the first pass of a run has ended. */
export const firstPassUpdate = defineUpdate<CodeRunStatus>('firstPass');

/** Lets a paused run go on if it may, and waits until that pass has ended. */
export const continueUpdate = defineUpdate<CodeRunStatus>('continue');

/** Where a run stands after an activity moved it. */
export interface CodeRunState {
  status: CodeRunStatus;
  /** Approvals that it waits for. */
  pendingApprovalIds: string[];
  /** Every approval that it has asked for. */
  approvalIds: string[];
  /** Epoch milliseconds at which waiting ends by itself; null while a pass runs or when the run is finished. */
  waitsUntil: number | null;
}

/** Where an approval stands, and the event that tells of it; null while it is pending. */
export interface ApprovalState {
  status: ApprovalStatus;
  event: string | null;
}

/** Search attributes, for finding a run in the Temporal UI: `GatewayApprovals = "apr_…"` finds the approval and the code run that waits for it. */
export const SEARCH_ATTRIBUTES = {
  approvals: defineSearchAttributeKey('GatewayApprovals', SearchAttributeType.KEYWORD_LIST),
  org: defineSearchAttributeKey('GatewayOrg', SearchAttributeType.KEYWORD),
  workspace: defineSearchAttributeKey('GatewayWorkspace', SearchAttributeType.KEYWORD),
  status: defineSearchAttributeKey('GatewayStatus', SearchAttributeType.KEYWORD),
  source: defineSearchAttributeKey('GatewaySource', SearchAttributeType.KEYWORD),
  integration: defineSearchAttributeKey('GatewayIntegration', SearchAttributeType.KEYWORD),
  action: defineSearchAttributeKey('GatewayAction', SearchAttributeType.KEYWORD),
};
