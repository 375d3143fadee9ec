import type { AwaitedApprovals } from '../../commands/code-runs/code-run-answer.ts';
import type { Approval } from '../../domain/approval.ts';
import { CONTINUATION_TOOL } from '../../domain/webhook-payload.ts';
import { callsMade } from './describe-calls.ts';
import { toolOf } from './present-gate.ts';

/**
 * Says why a run waits, what the run has done so far, and how to continue the run. The text
 * contains names, line numbers and ids, but no values of the program or of presets.
 */
export function describePause({ approvals, used, progress, twinApprovalId }: AwaitedApprovals): string {
  const [next, ...others] = approvals;
  const isGroup = others.length > 0;
  return [
    isGroup
      ? describeGroup(approvals)
      : `This run waits until a person decides about ${subjectOf(next, progress?.heldLines.get(next.id))}.`,
    progress ? callsMade(progress.callsMade) : 'Nothing has run yet.',
    used.length > 0 && `${listOf(used.map(({ id }) => `\`${id}\``))} ${used.length > 1 ? 'are' : 'is'} used up: this is another decision.`,
    `Once ${isGroup ? 'they are' : 'it is'} decided, call ${CONTINUATION_TOOL} with ${isGroup ? 'any one of these approvalIds and no code' : 'only this approvalId'}; the run continues where it stopped and repeats nothing.`,
    twinApprovalId &&
      `The same code already waits under approval \`${twinApprovalId}\`. To run it only once, continue that approval and ignore this one.`,
  ]
    .filter(Boolean)
    .join(' ');
}

function describeGroup(approvals: readonly Approval[]): string {
  const pending = approvals.filter(({ status }) => status === 'pending').length;
  return pending === approvals.length
    ? `This run waits for ${pending} approvals. It needs all of them.`
    : `This run needs ${approvals.length} approvals, and still waits for ${pending} of them.`;
}

function subjectOf(approval: Approval, line: number | undefined): string {
  const planned = approval.callNumber === null ? (approval.plannedTools ?? []) : [];
  const names = [...new Set(planned.map(({ alias, action }) => `${alias}.${action}`))];
  return `${listOf(names.length > 0 ? names : [toolOf(approval)])}${line === undefined ? '' : ` (line ${line})`}`;
}

const MOST_LISTED = 3;

function listOf(names: readonly string[]): string {
  const others = names.length - MOST_LISTED;
  return [...names.slice(0, MOST_LISTED), ...(others > 0 ? [`${others} more`] : [])].join(', ').replace(/, ([^,]*)$/, ' and $1');
}
