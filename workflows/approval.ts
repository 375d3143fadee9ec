import { condition, log, proxyActivities, setCurrentDetails, setHandler, upsertSearchAttributes } from '@temporalio/workflow';
import type { createApprovalActivities } from '../activities/approvals.ts';
import type { createWebhookActivities } from '../activities/webhooks.ts';
import type { ApprovalStatus, Decision } from '../domain/approval.ts';
import { type ApprovalStart, type OperatorNote, operatorSignals, SEARCH_ATTRIBUTES, settledSignal } from './contract.ts';

const { settleApproval, listDeliveries } = proxyActivities<
  ReturnType<typeof createApprovalActivities> & ReturnType<typeof createWebhookActivities>
>({
  startToCloseTimeout: '10 seconds',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '10 seconds' },
});

/** The schedule of attempts and their end are the activity's to say (decisions section 3); an outage on our side is tried again, and again. */
const { deliverWebhook } = proxyActivities<ReturnType<typeof createWebhookActivities>>({
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
});

const CLOCK_SLACK_MS = 1000;

/** One approval request: announce it, wait for a decision or for its time to be up, announce the outcome. Carries ids only. */
export async function approvalWorkflow({ approvalId, expiresAt }: ApprovalStart): Promise<ApprovalStatus> {
  let told = false;
  const decisions: { decision: Decision; reason?: string }[] = [];
  setHandler(settledSignal, () => {
    told = true;
  });
  for (const [decision, signal] of Object.entries(operatorSignals) as [Decision, (typeof operatorSignals)[Decision]][]) {
    setHandler(signal, (note) => {
      decisions.push({ decision, reason: reasonOf(note) });
    });
  }

  const deliveries = [deliver(approvalId, 'approval.requested')];
  setCurrentDetails(`Waits for a person until ${new Date(expiresAt).toISOString()}. Signals: approve, reject, cancel.`);

  let state = await settleApproval({ approvalId, decisions: [] });
  while (state.event === null && state.status === 'pending') {
    await condition(() => told || decisions.length > 0, Math.max(CLOCK_SLACK_MS, expiresAt - Date.now()));
    told = false;
    state = await settleApproval({ approvalId, decisions: decisions.splice(0) });
  }

  setCurrentDetails(`The approval is ${state.status}.`);
  upsertSearchAttributes([{ key: SEARCH_ATTRIBUTES.status, value: state.status }]);
  if (state.event) deliveries.push(deliver(approvalId, state.event));
  await Promise.all(deliveries);
  return state.status;
}

async function deliver(approvalId: string, event: string): Promise<void> {
  const deliveryIds = await listDeliveries({ approvalId, event });
  await Promise.all(
    deliveryIds.map((deliveryId) => deliverWebhook({ deliveryId }).catch(() => log.warn('a webhook was given up', { deliveryId }))),
  );
}

function reasonOf(note: OperatorNote): string | undefined {
  return typeof note === 'string' ? note : note?.reason;
}
