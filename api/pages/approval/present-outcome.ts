import type { OpenedLink } from '../../../commands/approvals/open-approval-link.ts';
import { APPROVAL_OUTCOME_SECONDS } from '../../../domain/limits.ts';
import type { Catalog } from '../../../integrations/catalog.ts';
import { type ShownTime, showTime } from '../layout/show-time.ts';
import { describeCall } from './describe-call.ts';
import { describeState } from './describe-state.ts';
import { presentDecision, type ReviewView } from './present-review.ts';
import type { ShownState } from './shown-state.ts';

/** The data of the page of a settled approval, which can no longer be decided. */
export interface OutcomeView
  extends Pick<ReviewView, 'isProgram' | 'what' | 'who' | 'through' | 'integration' | 'workspace' | 'policyName'> {
  title: string;
  id: string;
  state: ShownState;
  asked: ShownTime;
  decided: ReviewView['decided'];
  deadline: ShownTime;
  /** From this time the link answers 410. */
  closes: ShownTime;
}

/** Prepares the page of a settled approval. */
export function presentOutcome(catalog: Catalog, link: OpenedLink & { settledAt: Date }): OutcomeView {
  const { approval, settledAt } = link;
  const { isProgram, what, who, through, integration, workspace } = describeCall(catalog, link);
  const state = describeState(link, isProgram ? 'the program' : 'the action');
  return {
    ...{ isProgram, what, who, through, integration, workspace, state },
    title: `${state.label}: ${what}`,
    id: approval.id,
    policyName: approval.policyName,
    asked: showTime(approval.createdAt),
    decided: presentDecision(link),
    deadline: showTime(approval.expiresAt),
    closes: showTime(new Date(settledAt.getTime() + APPROVAL_OUTCOME_SECONDS * 1000)),
  };
}
