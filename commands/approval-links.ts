import { type Approval, allowsHostedLink } from '../domain/approval.ts';
import { isWellFormed, sameSecret } from '../infra/tokens.ts';
import type { Gateway } from './gateway.ts';

const PREFIX = 'apr_link_v1_';

export interface ApprovalLinks {
  approvalUrl: string | null;
  hostedApprovalUrl: string | null;
}

/** The addresses that the approval's access mode allows (specification 2.8). They are bearer links: for those who may see them only. */
export function approvalLinks(gateway: Gateway, approval: Pick<Approval, 'id' | 'approvalAccessMode'>): ApprovalLinks {
  if (!allowsHostedLink(approval.approvalAccessMode)) return { approvalUrl: null, hostedApprovalUrl: null };
  const url = `${gateway.config.platformUrl}/approve/${approval.id}?token=${gateway.tokens.derive(PREFIX, approval.id)}`;
  return { approvalUrl: url, hostedApprovalUrl: url };
}

/** True when a token is the link token of this approval. It is recomputed, so nothing is stored that could leak. */
export function isLinkToken(gateway: Gateway, approvalId: string, token: string): boolean {
  return isWellFormed(token, PREFIX) && sameSecret(token, gateway.tokens.derive(PREFIX, approvalId));
}
