import type { ApprovalReview } from '../../../commands/open-approval-link.ts';
import { showDuration } from '../layout/show-time.ts';

/** What each answer leads to, in full sentences. */
export interface ShownChoices {
  approve: string[];
  reject: string;
  cancel: string;
}

/** Says what approving permits, how often and until when, and what the other answers mean. */
export function describeChoices({ approval, reuseWindowSeconds }: ApprovalReview, isProgram: boolean): ShownChoices {
  const within = showDuration(approval.timeoutSeconds * 1000);
  if (isProgram) return programChoices(within);
  const again =
    reuseWindowSeconds === null || reuseWindowSeconds === 0
      ? []
      : [`For ${showDuration(reuseWindowSeconds * 1000)} after that, the very same call needs no new approval: the policy says so.`];
  if (approval.codeRunId !== null) {
    return {
      approve: [`The program may go on within ${within} and make exactly this call, once.`, ...again],
      reject: 'This call is not made, and the program ends. What it did before stays done.',
      cancel: 'The request is withdrawn, and the program ends without this call.',
    };
  }
  return {
    approve: [`Exactly this may run once, within ${within} of your decision. Any change to it asks again.`, ...again],
    reject: 'It does not run. Asking again makes a new request.',
    cancel: 'The request is withdrawn. It does not run.',
  };
}

function programChoices(within: string): ShownChoices {
  return {
    approve: [
      `The program may run within ${within} and make the calls that this approval covers: those with a known input with exactly that one, the others with any input.`,
      'Every other call meets the policies again when it is made.',
    ],
    reject: 'The program does not go on.',
    cancel: 'The request is withdrawn. The program does not go on.',
  };
}
