import type { Program } from '../../../commands/reviews/redact-code.ts';
import { REDACTED } from '../../../domain/redaction/redacted.ts';
import type { ApprovalReview } from '../../../store/approval-reviews.ts';
import { type ShownTime, showDuration, showTime } from '../layout/show-time.ts';
import { type Comparison, comparePreviews } from './compare-previews.ts';
import { isPlan } from './describe-call.ts';
import { diffLines, type TextDiff } from './diff-text.ts';
import { linesOf } from './present-code.ts';

/** The differences between a request and the last approved request of its kind. */
export interface ShownChanges {
  since: ShownTime & { ago: string };
  /** The number of differences, such as "2 changed, 1 added". */
  summary: string;
  fields: Comparison | null;
  /** The differences of a program. */
  lines: TextDiff | null;
}

/**
 * Compares an approval with the last approved request of its kind. Returns null if there is nothing
 * to compare.
 */
export async function presentChanges(review: ApprovalReview): Promise<ShownChanges | null> {
  const { approval, lastApproved, now, run } = review;
  if (!lastApproved) return null;
  const since = {
    ...showTime(lastApproved.decidedAt),
    ago: `${showDuration((approval.decidedAt ?? now).getTime() - lastApproved.decidedAt.getTime())} ${approval.decidedAt ? 'earlier' : 'ago'}`,
  };
  if (isPlan(approval)) {
    if (!run || lastApproved.code === null) return null;
    const { orgId } = approval;
    return { since, ...(await compareCode({ code: lastApproved.code, orgId }, { code: run.code, orgId })) };
  }
  const fields = comparePreviews(lastApproved.inputPreview, approval.inputPreview);
  return { since, summary: summarise(fields), fields, lines: null };
}

function summarise({ changes, omitted, uncompared }: Comparison): string {
  const count = (kind: string) => changes.filter((change) => change.kind === kind).length;
  const parts = ['changed', 'added', 'removed'].flatMap((kind) => (count(kind) > 0 ? [`${count(kind)} ${kind}`] : []));
  if (omitted > 0) parts.push(`${omitted} more`);
  if (parts.length > 0) return parts.join(', ');
  return uncompared.length > 0 ? 'nothing that is shown differs' : 'nothing differs';
}

async function compareCode(before: Program, after: Program): Promise<Omit<ShownChanges, 'since'>> {
  const [from, to] = [await linesOf(before), await linesOf(after)];
  const lines = diffLines(from.lines, to.lines);
  const count = (kind: string) =>
    lines.parts.filter((part) => part.kind === kind).reduce((sum, { text }) => sum + text.split('\n').length, 0);
  const [added, removed] = [count('added'), count('removed')];
  const isAlike = added + removed === 0;
  const uncompared = [
    ...([...from.lines, ...to.lines].some((line) => line.includes(REDACTED)) ? ['what is hidden in the program'] : []),
    ...(from.isWhole && to.isWhole ? [] : ['what is too long to show']),
  ];
  const differs = `${added} ${added === 1 ? 'line' : 'lines'} added, ${removed} removed`;
  const alike = uncompared.length > 0 ? 'no line that is shown differs' : 'no line differs';
  return {
    summary: isAlike ? alike : differs,
    fields: { changes: [], omitted: 0, same: [], uncompared },
    lines: isAlike ? null : lines,
  };
}
