import {
  condition,
  continueAsNew,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { createApprovalActivities } from '../activities/approvals.ts';
import type { ApprovalStatus, Decision } from '../domain/approval.ts';
import { OPERATOR_SIGNALS_WAITING } from '../domain/limits.ts';
import { readOperatorNote } from '../domain/read-operator-note.ts';
import {
  type ApprovalStart,
  type ApprovalState,
  type OperatorDecision,
  operatorSignals,
  SEARCH_ATTRIBUTES,
  settledSignal,
} from './contract.ts';
import { LOCAL_ACTIVITY } from './local-activity.ts';

/** Added to each timer. When the timer fires, the approval has expired by the database clock. */
const CLOCK_SLACK_MS = 50;

/**
 * Waits until an approval is decided or expires, and returns its status. `settleApproval` decides
 * from the state in Postgres. A flood of signals takes limited space: few signals are kept, and a
 * workflow with a long history continues as new.
 */
export async function approvalWorkflow({ approvalId, expiresAt }: ApprovalStart): Promise<ApprovalStatus> {
  const { settleApproval } = proxyLocalActivities<ReturnType<typeof createApprovalActivities>>(LOCAL_ACTIVITY);
  let isNotified = false;
  const decisions: OperatorDecision[] = [];
  const received = { approve: 0, reject: 0, cancel: 0 };
  let refusals: string[] = [];
  let dropped = 0;
  setHandler(settledSignal, () => {
    isNotified = true;
  });
  for (const [decision, signal] of Object.entries(operatorSignals) as [Decision, (typeof operatorSignals)[Decision]][]) {
    setHandler(signal, (...note: unknown[]) => {
      const nth = received[decision]++;
      if (decisions.filter((one) => one.decision === decision).length < OPERATOR_SIGNALS_WAITING)
        decisions.push({ decision, nth, ...readOperatorNote(...note) });
      else dropped += 1;
    });
  }
  setCurrentDetails(waitingText(approvalId, expiresAt, false));

  const settle = async (): Promise<ApprovalState> => {
    const state = await settleApproval({ approvalId, decisions: decisions.splice(0) });
    const summary =
      state.status === 'pending' ? waitingText(approvalId, expiresAt, state.trustsSignals) : `The approval is ${state.status}.`;
    refusals = [...refusals, ...state.refusals].slice(-SHOWN_REFUSALS);
    setCurrentDetails(describe(summary, refusals, dropped));
    return state;
  };

  let state = await settle();
  while (state.status === 'pending') {
    // `condition` needs a timeout above 0 ms.
    const waitMs = Math.max(CLOCK_SLACK_MS, state.timeLeftMs + CLOCK_SLACK_MS);
    await condition(() => isNotified || decisions.length > 0, waitMs);
    isNotified = false;
    state = await settle();
    if (state.status === 'pending' && decisions.length === 0 && workflowInfo().continueAsNewSuggested)
      await continueAsNew<typeof approvalWorkflow>({ approvalId, expiresAt });
  }

  upsertSearchAttributes([{ key: SEARCH_ATTRIBUTES.status, value: state.status }]);
  // Signals that arrived together with the decision are refused, and the operator can read why.
  while (decisions.length > 0) await settle();
  return state.status;
}

/** `expiresAt` is the expiry at the start of the workflow; Postgres holds the current expiry. */
function waitingText(approvalId: string, expiresAt: number, trustsSignals: boolean): string {
  const end = new Date(expiresAt);
  const until = Number.isNaN(end.getTime()) ? '' : ` until ${end.toISOString()}`;
  if (trustsSignals) return `Waits for a person${until}. Signals: approve, reject, cancel.`;
  return [
    `Waits for a person${until}.`,
    `To approve, run: npm run --silent admin -- operator-code ${approvalId} --as YOUR-EMAIL`,
    'and send the signal approve with { "code": "what that printed", "reason": "why" }. The signals reject and cancel need no code.',
  ].join('\n');
}

function describe(summary: string, refusals: readonly string[], dropped: number): string {
  const more = dropped > 0 ? [`- ${dropped} more signals came at once and were not read.`] : [];
  return [summary, ...refusals.map((refusal) => `- refused: ${refusal}`), ...more].join('\n');
}

const SHOWN_REFUSALS = 5;
