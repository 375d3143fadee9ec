import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { defineSignal, defineUpdate } from '@temporalio/workflow';
import type { ApprovalStatus, Decision } from '../domain/approval.ts';
import type { CodeRunStatus } from '../domain/code-run.ts';
import { SEARCH_ATTRIBUTE_TYPES } from '../domain/search-attributes.ts';

/** Names, ids and shapes that the workflows share with those who start and signal them. Ids and statuses only: histories hold nothing else. */

export const APPROVAL_WORKFLOW = 'approvalWorkflow';
export const CODE_RUN_WORKFLOW = 'codeRunWorkflow';
export const WEBHOOK_DELIVERY_WORKFLOW = 'webhookDeliveryWorkflow';

export function approvalWorkflowId(approvalId: string): string {
  return `approval/${approvalId}`;
}

export function codeRunWorkflowId(codeRunId: string): string {
  return `code-run/${codeRunId}`;
}

export function webhookDeliveryWorkflowId(deliveryId: string): string {
  return `webhook-delivery/${deliveryId}`;
}

/** Webhooks have a queue beside that of the workflows: receivers that do not answer keep nothing else waiting. */
export function webhookTaskQueue(taskQueue: string): string {
  return `${taskQueue}-webhooks`;
}

/** What people decided has a queue beside that of the workflows: it waits behind no pass. */
export function decisionTaskQueue(taskQueue: string): string {
  return `${taskQueue}-decisions`;
}

/** The queue that workflows of before ask for passes on. */
export function codeTaskQueue(taskQueue: string): string {
  return `${taskQueue}-code`;
}

export interface ApprovalStart {
  approvalId: string;
  /** Epoch milliseconds. */
  expiresAt: number;
}

/**
 * What an operator sends with a signal from the Temporal UI: nothing, a sentence, or `{ "reason": …, "by": "ada@example.com" }`. Nobody checks
 * what they type: `readOperatorNote` does.
 */
export type OperatorNote = unknown;

/** A decision that came by a signal, the nth one of its name, from 0. */
export interface OperatorDecision {
  decision: Decision;
  nth: number;
  reason?: string;
  by?: string;
  isUnclear?: true;
}

/** Signals that an operator sends from the Temporal UI; the names are the decisions. */
export const operatorSignals: Record<Decision, ReturnType<typeof defineSignal<[OperatorNote?]>>> = {
  approve: defineSignal<[OperatorNote?]>('approve'),
  reject: defineSignal<[OperatorNote?]>('reject'),
  cancel: defineSignal<[OperatorNote?]>('cancel'),
};

/** Tells an approval's workflow that Postgres holds a decision. */
export const settledSignal = defineSignal('settled');

/** A delivery whose first attempt failed. */
export interface WebhookRetry {
  deliveryId: string;
}

export interface CodeRunInput {
  codeRunId: string;
  /** Undefined in histories of before. */
  orgId?: string;
}

/** Tells a code run that one of its approvals was settled. */
export const approvalSettledSignal = defineSignal<[string]>('approvalSettled');

/** Ends a code run: by an operator, who may say why, or because it was ended in Postgres. */
export const cancelRunSignal = defineSignal<[OperatorNote?]>('cancel');

/** A code run that somebody canceled in Temporal: by the nth signal `cancel`, from 0, or (null) by Temporal's own request to cancel. */
export interface RunCancellation {
  codeRunId: string;
  nth: number | null;
  reason?: string;
  by?: string;
}

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
  /** Until its time is up by the database clock. */
  timeLeftMs?: number;
  /** Why decisions of operators changed nothing; absent in histories of before. */
  refusals?: string[];
}

/** The search attributes of `domain/search-attributes.ts`, as the client and the workflows take them. */
export const SEARCH_ATTRIBUTES = {
  approvals: defineSearchAttributeKey('GatewayApprovals', SEARCH_ATTRIBUTE_TYPES.GatewayApprovals),
  org: keyword('GatewayOrg'),
  workspace: keyword('GatewayWorkspace'),
  status: keyword('GatewayStatus'),
  source: keyword('GatewaySource'),
  integration: keyword('GatewayIntegration'),
  action: keyword('GatewayAction'),
};

function keyword(name: keyof typeof SEARCH_ATTRIBUTE_TYPES) {
  return defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);
}
