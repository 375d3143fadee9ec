import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { defineSignal, defineUpdate } from '@temporalio/workflow';
import type { ApprovalStatus, Decision } from '../domain/approval.ts';
import type { CodeRunStatus } from '../domain/code-run.ts';
import { SEARCH_ATTRIBUTE_TYPES } from '../domain/search-attributes.ts';

/**
 * Names, ids and shapes that workflows share with the code that starts and signals them.
 * Ids and statuses only: histories hold nothing else.
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

/** Task queue of webhook retries. A receiver that does not answer delays nothing else. */
export function webhookTaskQueue(taskQueue: string): string {
  return `${taskQueue}-webhooks`;
}

/** Task queue of cancellations by operators, so that none waits behind a pass. */
export function decisionTaskQueue(taskQueue: string): string {
  return `${taskQueue}-decisions`;
}

export interface ApprovalStart {
  approvalId: string;
  /** Epoch milliseconds. */
  expiresAt: number;
}

/**
 * The input of an operator's signal from the Temporal UI: nothing, a text, or
 * `{ "code": …, "reason": … }`. Unchecked; `readOperatorNote` reads it.
 */
export type OperatorNote = unknown;

/** A decision sent as a signal. Its code is not verified yet. */
export interface OperatorDecision {
  decision: Decision;
  /** Its place among the signals of that name in this execution, from 0. */
  nth: number;
  reason?: string;
  code?: string;
  /** Other codes found in the note. The history shows them, so they must be spent. */
  otherCodes?: string[];
  isUnclear?: true;
}

/** Signals from the Temporal UI, by decision. */
export const operatorSignals: Record<Decision, ReturnType<typeof defineSignal<[OperatorNote?]>>> = {
  approve: defineSignal<[OperatorNote?]>('approve'),
  reject: defineSignal<[OperatorNote?]>('reject'),
  cancel: defineSignal<[OperatorNote?]>('cancel'),
};

/** Wakes an approval's workflow: Postgres holds a decision. */
export const settledSignal = defineSignal('settled');

/** A delivery whose first attempt failed. */
export interface WebhookRetry {
  deliveryId: string;
}

export interface CodeRunInput {
  codeRunId: string;
  orgId: string;
  /** The status of a run that ended before its workflow was started. */
  endedAs?: CodeRunStatus;
}

/** Wakes a code run's workflow: one of its approvals is settled. */
export const approvalSettledSignal = defineSignal<[string]>('approvalSettled');

/** Ends a code run: sent by an operator, or after the run was canceled in Postgres. */
export const cancelRunSignal = defineSignal<[OperatorNote?]>('cancel');

/** A cancellation of a code run that was requested in Temporal. */
export interface RunCancellation {
  codeRunId: string;
  /** The nth signal `cancel`, from 0; null for Temporal's own cancellation request. */
  nth: number | null;
  reason?: string;
  /** Unverified operator codes found in the note. The history shows them, so they must be spent. */
  codes?: string[];
}

/** Waits until the first pass has ended. */
export const firstPassUpdate = defineUpdate<CodeRunStatus>('firstPass');

/** Resumes a paused run if it is allowed to go on, and waits until that pass has ended. */
export const continueUpdate = defineUpdate<CodeRunStatus>('continue');

/** The state of an approval after an activity settled what was due. */
export interface ApprovalState {
  status: ApprovalStatus;
  /** Time until it expires, by the database clock; 0 once it is settled. */
  timeLeftMs: number;
  /** Why decisions of operators were refused. */
  refusals: string[];
  /** A signal `approve` needs no code (OPERATOR_SIGNALS=trusted). */
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
