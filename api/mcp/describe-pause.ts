import type { CodeRunGate } from '../../commands/code-run-answer.ts';
import type { Approval } from '../../domain/approval.ts';
import { CONTINUATION_TOOL } from '../../domain/webhook-payload.ts';
import { callsMade } from './describe-calls.ts';
import { toolOf } from './present-gate.ts';

/** What a run waits for, what it has done by then, and how it goes on: names, lines and ids, nothing that the program or a preset holds. */
export function describePause({ approvals, used, progress, twinApprovalId }: CodeRunGate): string {
  const [next, ...others] = approvals;
  const isGroup = others.length > 0;
  return [
    isGroup
      ? `This run waits until each of ${approvals.length} approvals is given; it needs them all.`
      : `This run waits until a person decides about ${subjectOf(next, progress?.heldLines.get(next.id))}.`,
    progress ? callsMade(progress.callsMade) : 'Nothing has run yet.',
    used.length > 0 && `${listOf(used.map(({ id }) => `\`${id}\``))} ${used.length > 1 ? 'are' : 'is'} used: this is a further decision.`,
    `Once ${isGroup ? 'they are' : 'it is'} decided, call ${CONTINUATION_TOOL} with only ${isGroup ? 'any one of these approvalIds' : 'this approvalId'}; the run goes on where it is, and nothing is done twice.`,
    twinApprovalId &&
      `The same code, sent before, waits already under approval \`${twinApprovalId}\`: to run it once, continue that one instead and let this one be.`,
  ]
    .filter(Boolean)
    .join(' ');
}

/** The call that is held, or those that a plan foresaw. */
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
