import type { ApprovalReview } from '../../../store/approval-reviews.ts';
import { showDuration } from '../layout/show-time.ts';

/** The effect of each decision. Each text follows a label such as `Approve:`. */
export interface ShownChoices {
  approve: string[];
  reject: string;
  cancel: string;
}

/** Describes what each decision does. */
export function describeChoices({ approval, reuseWindowSeconds }: ApprovalReview, isProgram: boolean): ShownChoices {
  const within = showDuration(approval.timeoutSeconds * 1000);
  if (isProgram) return programChoices(within);
  const again =
    reuseWindowSeconds === null || reuseWindowSeconds === 0
      ? []
      : [`For ${showDuration(reuseWindowSeconds * 1000)} after that, the same call needs no new approval, because the policy allows this.`];
  if (approval.codeRunId !== null) {
    return {
      approve: [`the program may resume within ${within} and make exactly this call, once.`, ...again],
      reject: 'stops the program before this call. Its earlier calls are not undone.',
      cancel: 'nobody decides. The program stops before this call.',
    };
  }
  return {
    approve: [`runs once, with exactly this input, if started within ${within}. Any change needs a new approval.`, ...again],
    reject: 'it does not run. The requester can make a new request.',
    cancel: 'nobody decides. It does not run.',
  };
}

function programChoices(within: string): ShownChoices {
  return {
    approve: [
      `it goes on, within ${within}.`,
      'Calls shown with input run exactly so; the others may send anything.',
      'All other calls are checked again.',
    ],
    reject: 'stops the program. The requester can start it again.',
    cancel: 'nobody decides. The program stops.',
  };
}
