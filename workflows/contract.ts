import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { defineSignal, defineUpdate } from '@temporalio/workflow';
import type { ApprovalStatus, Decision } from '../domain/approval.ts';
import type { CodeRunStatus } from '../domain/code-run.ts';
import { SEARCH_ATTRIBUTE_TYPES } from '../domain/search-attributes.ts';

/**
 * Names, ids and shapes that workflows share with their callers. Temporal histories show the
 * inputs and results of workflows, so these contain no data of calls.
 */

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

/** Webhook retries have their own task queue, so that a slow receiver delays nothing else. */
export function webhookTaskQueue(taskQueue: string): string {
  return `${taskQueue}-webhooks`;
}

/** Cancellations of runs have their own task queue, so that none waits behind a pass. */
export function decisionTaskQueue(taskQueue: string): string {
  return `${taskQueue}-decisions`;
}

export interface ApprovalStart {
  approvalId: string;
  /** Epoch milliseconds. */
  expiresAt: number;
}

/**
 * The note in an operator's signal: nothing, a text, or an object with `code` and `reason`. Not
 * validated.
 */
export type OperatorNote = unknown;

/** A decision sent as a signal. Its operator code is not verified yet. */
export interface OperatorDecision {
  decision: Decision;
  /** Position of the signal among the signals of the same name in this execution, from 0. */
  nth: number;
  reason?: string;
  code?: string;
  /**
   * Other operator codes found in the note. The history shows these codes, so they must become
   * unusable.
   */
  otherCodes?: string[];
  isUnclear?: true;
}

/** Signals from the Temporal UI, by decision. */
export const operatorSignals: Record<Decision, ReturnType<typeof defineSignal<[OperatorNote?]>>> = {
  approve: defineSignal<[OperatorNote?]>('approve'),
  reject: defineSignal<[OperatorNote?]>('reject'),
  cancel: defineSignal<[OperatorNote?]>('cancel'),
};

/** Wakes the workflow of an approval after the approval was settled in Postgres. */
export const settledSignal = defineSignal('settled');

/** The delivery that a workflow retries. */
export interface WebhookRetry {
  deliveryId: string;
}

export interface CodeRunInput {
  codeRunId: string;
  orgId: string;
  /** The status of a run that ended before its workflow was started. */
  endedAs?: CodeRunStatus;
}

/** Wakes the workflow of a code run. The argument is the id of the settled approval. */
export const approvalSettledSignal = defineSignal<[string]>('approvalSettled');

/** Cancels a code run. */
export const cancelRunSignal = defineSignal<[OperatorNote?]>('cancel');

/** A cancellation of a code run, as the workflow of the run received it. */
export interface RunCancellation {
  codeRunId: string;
  /**
   * Position of the signal among the `cancel` signals, from 0. Null for a cancellation request of
   * Temporal itself.
   */
  nth: number | null;
  reason?: string;
  /**
   * Unverified operator codes found in the note. The history shows these codes, so they must become
   * unusable.
   */
  codes?: string[];
}

/**
 * Waits until the workflow has advanced the run once, and returns the status of the run.
 */
export const firstPassUpdate = defineUpdate<CodeRunStatus>('firstPass');

/**
 * Resumes a waiting run if it may continue. Returns its status as soon as the run waits again or
 * has ended.
 */
export const continueUpdate = defineUpdate<CodeRunStatus>('continue');

/** The state of an approval after `settleApproval`. */
export interface ApprovalState {
  status: ApprovalStatus;
  /** Milliseconds until the approval expires, by the database clock. 0 for a settled approval. */
  timeLeftMs: number;
  /** Texts for operators, one for each decision that was refused. */
  refusals: string[];
  /** True if a signal `approve` needs no code (OPERATOR_SIGNALS=trusted). */
  trustsSignals: boolean;
}

/** The search attributes of `domain/search-attributes.ts` as Temporal's typed keys. */
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
