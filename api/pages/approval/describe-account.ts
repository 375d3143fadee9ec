import type { ConnectionStatus } from '../../../domain/connection.ts';
import type { AccountOfApproval, ApprovalReview } from '../../../store/approval-reviews.ts';
import type { Fact } from './fact.ts';

/** A connected account in words. `problem` is null if the account works. */
export interface ShownAccount {
  name: string;
  whose: string;
  problem: string | null;
}

/** Describes an account and its problem in words. */
export function describeAccount(
  { name, scope, status, ownerName, isReconnected }: AccountOfApproval,
  review: ApprovalReview,
): ShownAccount {
  const whose = {
    ORGANIZATION: `of the organization ${review.orgName}`,
    WORKSPACE: `of the workspace ${review.workspaceName ?? 'that was deleted'}`,
    USER: `of the end user ${ownerName ?? 'who was deleted'}`,
  }[scope];
  const reconnected = isReconnected ? 'It was reconnected after this request, so the call will need a new approval.' : null;
  return { name, whose, problem: PROBLEMS[status] ?? reconnected };
}

const PROBLEMS: Partial<Record<ConnectionStatus, string>> = {
  ERROR: 'Its credentials were refused recently. The call may fail.',
  REVOKED: 'It was disconnected. The call will fail.',
};

/** The accounts of a request. */
export function accountFacts(accounts: readonly ShownAccount[], { approval }: ApprovalReview, takesAccount: boolean): Fact[] {
  const gone = approval.concernedConnectionIds.length - accounts.length;
  const facts: Fact[] = accounts.map(({ name, whose }) => ({ name: 'Account', words: `${name}, ${whose}` }));
  if (gone > 0) facts.push({ name: 'Account', words: gone === 1 ? 'An account that was deleted' : `${gone} accounts that were deleted` });
  const rule = approval.connectionStrategy ? ACCOUNTS[approval.connectionStrategy] : undefined;
  return facts.length === 0 && takesAccount && rule ? [{ name: 'Account', words: rule }] : facts;
}

const ACCOUNTS: Record<string, string> = {
  fixed: 'The account that the workspace configured',
  per_user: 'The end user’s own account',
  per_user_with_fallback: 'The end user’s own account, or else the one that the workspace configured',
};
