import type { ApprovalReview } from '../../../store/approval-reviews.ts';
import { showDuration } from '../layout/show-time.ts';

/** The effect of each decision, in full sentences. */
export interface ShownChoices {
  approve: string[];
  reject: string;
  cancel: string;
}

/** States what each decision does: for an approval, what it permits, how often and until when. */
export function describeChoices({ approval, reuseWindowSeconds }: ApprovalReview, isProgram: boolean): ShownChoices {
  const within = showDuration(approval.timeoutSeconds * 1000);
  if (isProgram) return programChoices(within);
  const again =
    reuseWindowSeconds === null || reuseWindowSeconds === 0
      ? []
      : [`For ${showDuration(reuseWindowSeconds * 1000)} after that, the same call needs no new approval: the policy allows this.`];
  if (approval.codeRunId !== null) {
    return {
      approve: [`The program may resume within ${within} and make exactly this call, once.`, ...again],
      reject: 'Stops the program before this call. Its earlier calls are not undone.',
      cancel: 'Withdraws the request and stops the program before this call.',
    };
  }
  return {
    approve: [`Runs once, with exactly this input, if started within ${within}. Any change needs a new approval.`, ...again],
    reject: 'It does not run. The requester can make a new request.',
    cancel: 'Withdraws the request. It does not run.',
  };
}

function programChoices(within: string): ShownChoices {
  return {
    approve: [
      `Runs the program, if started within ${within}. It may make the calls that this approval covers.`,
      'Calls with a known input run with exactly that input. The others may run with any input.',
      'All other calls are checked against the policies when they are made.',
    ],
    reject: 'Stops the program. The requester can start it again.',
    cancel: 'Withdraws the request and stops the program.',
  };
}
