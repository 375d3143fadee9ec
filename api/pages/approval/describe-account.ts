import type { ApprovalReview } from '../../../commands/open-approval-link.ts';
import type { ConnectionStatus } from '../../../domain/connection.ts';
import type { AccountOfApproval } from '../../../store/approval-reviews.ts';
import type { Fact } from './describe-call.ts';

/** A linked account, whose it is, and what is wrong with it. */
export interface ShownAccount {
  name: string;
  whose: string;
  problem: string | null;
}

/** Says which account it is by the name that people gave it. */
export function describeAccount(
  { name, scope, status, ownerName, isReconnected }: AccountOfApproval,
  review: ApprovalReview,
): ShownAccount {
  const whose = {
    ORGANIZATION: `of the organization ${review.orgName}`,
    WORKSPACE: `of the workspace ${review.workspaceName ?? 'that was deleted'}`,
    USER: `of the end user ${ownerName ?? 'who was deleted'}`,
  }[scope];
  const reconnected = isReconnected ? 'It was connected anew since this was asked, so the same call will ask again.' : null;
  return { name, whose, problem: PROBLEMS[status] ?? reconnected };
}

const PROBLEMS: Partial<Record<ConnectionStatus, string>> = {
  ERROR: 'The other side refused its credentials lately; the call may fail.',
  REVOKED: 'It was disconnected; the call will fail.',
};

/** The very accounts; where none is chosen yet, by which rule one is. */
export function accountFacts(accounts: readonly ShownAccount[], { approval }: ApprovalReview, takesAccount: boolean): Fact[] {
  const gone = approval.concernedConnectionIds.length - accounts.length;
  const facts: Fact[] = accounts.map(({ name, whose }) => ({ name: 'Account', words: `${name}, ${whose}` }));
  if (gone > 0) facts.push({ name: 'Account', words: gone === 1 ? 'An account that was deleted' : `${gone} accounts that were deleted` });
  const rule = approval.connectionStrategy ? ACCOUNTS[approval.connectionStrategy] : undefined;
  return facts.length === 0 && takesAccount && rule ? [{ name: 'Account', words: rule }] : facts;
}

const ACCOUNTS: Record<string, string> = {
  fixed: 'The account that the workspace has configured',
  per_user: 'The end user’s own account',
  per_user_with_fallback: 'The end user’s own account, else the one that the workspace has configured',
};
