import {
  type ActivityOptions,
  condition,
  log,
  patched,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { createApprovalActivities } from '../activities/approvals.ts';
import type { createWebhookActivities } from '../activities/webhooks.ts';
import type { ApprovalStatus, Decision } from '../domain/approval.ts';
import { readOperatorNote } from '../domain/operator-note.ts';
import {
  type ApprovalStart,
  type ApprovalState,
  decisionTaskQueue,
  type OperatorDecision,
  operatorSignals,
  SEARCH_ATTRIBUTES,
  settledSignal,
} from './contract.ts';

const SETTLE: ActivityOptions = {
  startToCloseTimeout: '10 seconds',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '10 seconds' },
};

const { listDeliveries } = proxyActivities<ReturnType<typeof createWebhookActivities>>(SETTLE);

const { deliverWebhook } = proxyActivities<ReturnType<typeof createWebhookActivities>>({
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
});

/** Webhooks are sent by workers from the table of deliveries (docs/decisions/0019); workflows of before, which did it themselves, go on asking. */
const DELIVERED_APART = 'delivered-apart';

/** Who comes too late is told, for as long as the workflow is there to tell; workflows of before told nobody. */
const ANSWERS_LATE_SIGNALS = 'answers-late-signals';

/** The timer starts a moment before or after the database said how long it takes. */
const CLOCK_SLACK_MS = 50;

/** One approval request: wait for a decision or for its time to be up. Carries ids only. */
export async function approvalWorkflow({ approvalId, expiresAt }: ApprovalStart): Promise<ApprovalStatus> {
  const { settleApproval } = proxyActivities<ReturnType<typeof createApprovalActivities>>({
    ...SETTLE,
    taskQueue: decisionTaskQueue(workflowInfo().taskQueue),
  });
  let told = false;
  const decisions: OperatorDecision[] = [];
  const heard = { approve: 0, reject: 0, cancel: 0 };
  const refusals: string[] = [];
  setHandler(settledSignal, () => {
    told = true;
  });
  for (const [decision, signal] of Object.entries(operatorSignals) as [Decision, (typeof operatorSignals)[Decision]][]) {
    setHandler(signal, (note) => {
      decisions.push({ decision, nth: heard[decision]++, ...readOperatorNote(note) });
    });
  }

  const deliversItself = !patched(DELIVERED_APART);
  const deliveries = deliversItself ? [deliver(approvalId, 'approval.requested')] : [];
  const waiting = `Waits for a person until ${new Date(expiresAt).toISOString()}. Signals: approve, reject, cancel.`;
  setCurrentDetails(waiting);

  // Called after `settleApproval`, never around it: one more await would change the order of commands, which histories of before hold on to.
  const tell = (settled: ApprovalState) => {
    refusals.push(...(settled.refusals ?? [])); // none in histories of before
    setCurrentDetails(describe(settled.status === 'pending' ? waiting : `The approval is ${settled.status}.`, refusals));
  };

  let state = await settleApproval({ approvalId, decisions: [] });
  tell(state);
  while (state.event === null && state.status === 'pending') {
    const timeLeftMs = state.timeLeftMs ?? expiresAt - Date.now();
    await condition(() => told || decisions.length > 0, Math.max(CLOCK_SLACK_MS, timeLeftMs + CLOCK_SLACK_MS)); // 0 would be no timer at all
    told = false;
    state = await settleApproval({ approvalId, decisions: decisions.splice(0) });
    tell(state);
  }

  upsertSearchAttributes([{ key: SEARCH_ATTRIBUTES.status, value: state.status }]);
  if (state.event && deliversItself) deliveries.push(deliver(approvalId, state.event));

  let delivered = false;
  const answerLateSignals = async () => {
    while (!delivered || decisions.length > 0) {
      const late = decisions.splice(0);
      if (late.length > 0 && patched(ANSWERS_LATE_SIGNALS)) tell(await settleApproval({ approvalId, decisions: late }));
      await condition(() => delivered || decisions.length > 0);
    }
  };
  const delivering = Promise.all(deliveries).finally(() => {
    delivered = true;
  });
  await Promise.all([delivering, answerLateSignals()]);
  return state.status;
}

async function deliver(approvalId: string, event: string): Promise<void> {
  const deliveryIds = await listDeliveries({ approvalId, event });
  await Promise.all(
    deliveryIds.map((deliveryId) => deliverWebhook({ deliveryId }).catch(() => log.warn('a webhook was given up', { deliveryId }))),
  );
}

/** What an operator reads of it in the Temporal UI. */
function describe(standing: string, refusals: readonly string[]): string {
  return [standing, ...refusals.slice(-SHOWN_REFUSALS).map((refusal) => `- refused: ${refusal}`)].join('\n');
}

const SHOWN_REFUSALS = 5;
