import type { ApprovalReview } from '../../../commands/open-approval-link.ts';
import { DECISION_REASON_MAX_LENGTH } from '../../../domain/limits.ts';
import type { Catalog } from '../../../integrations/catalog.ts';
import { type ShownTime, showDuration, showTime } from '../layout/show-time.ts';
import { type ShownValue, showValue } from '../layout/show-value.ts';
import { type Described, describeCall } from './describe-call.ts';
import { describeDecider, describeState, type ShownState } from './describe-state.ts';
import { presentProgram, type ShownProgram } from './present-program.ts';

/** All that the approval page shows, field by field. */
export interface ReviewView extends Described {
  title: string;
  id: string;
  state: ShownState;
  policyName: string | null;
  reasons: string[];
  /** The input of one call, or the plan of a whole program: one of the two. */
  input: ShownValue | null;
  program: ShownProgram | null;
  omitted: number;
  hiddenPaths: string[];
  asked: ShownTime & { ago: string };
  deadline: ShownTime & { left: string; percentLeft: number };
  decided: { by: string; at: ShownTime | null; reason: string | null } | null;
  reasonMaxLength: number;
}

/** An approval as the page shows it. */
export function presentReview(catalog: Catalog, review: ApprovalReview): ReviewView {
  const { approval, now } = review;
  const described = describeCall(catalog, review);
  const state = describeState(review, described.isProgram ? 'the program' : 'the action');
  const input = described.isProgram ? undefined : showValue(approval.inputPreview, 'input');
  return {
    ...described,
    title: `${state.label}: ${described.what}`,
    id: approval.id,
    state,
    policyName: approval.policyName,
    reasons: approval.riskReasons,
    input: input?.shown ?? null,
    program: described.isProgram ? presentProgram(approval) : null,
    omitted: input?.omitted ?? 0,
    hiddenPaths: described.isProgram ? approval.redactedPaths.map(inCall) : approval.redactedPaths,
    asked: { ...showTime(approval.createdAt), ago: `${showDuration(now.getTime() - approval.createdAt.getTime())} ago` },
    deadline: presentDeadline(review),
    decided: presentDecision(review),
    reasonMaxLength: DECISION_REASON_MAX_LENGTH,
  };
}

/** A path in the plan's list of calls, by the number that the call has on the page. */
function inCall(path: string): string {
  return path.replace(/^predictedTools\.(\d+)\.input\./, (_, index) => `call ${Number(index) + 1}: `);
}

function presentDeadline({ approval, now }: ApprovalReview): ReviewView['deadline'] {
  const left = approval.expiresAt.getTime() - now.getTime();
  const whole = approval.expiresAt.getTime() - approval.createdAt.getTime();
  return {
    ...showTime(approval.expiresAt),
    left: showDuration(left),
    percentLeft: Math.min(100, Math.max(0, Math.round((left / whole) * 100))),
  };
}

function presentDecision({ approval }: ApprovalReview): ReviewView['decided'] {
  if (approval.decidedByType === null) return null;
  const at = approval.decidedAt && showTime(approval.decidedAt);
  return { by: describeDecider(approval.decidedByType), at, reason: approval.decisionReason };
}
