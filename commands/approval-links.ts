import { type Approval, allowsHostedLink } from '../domain/approval.ts';
import { type Person, refOfPerson } from '../domain/person.ts';
import { isWellFormed, sameSecret } from '../infra/tokens.ts';
import type { Gateway } from './gateway.ts';

const PREFIX = 'apr_link_v1_';

export interface ApprovalLinks {
  approvalUrl: string | null;
  hostedApprovalUrl: string | null;
}

/** The addresses that the approval's access mode allows (specification 2.8). They are bearer links: for those who may see them only. */
export function approvalLinks(gateway: LinkMaker, approval: Pick<Approval, 'id' | 'approvalAccessMode'>): ApprovalLinks {
  if (!allowsHostedLink(approval.approvalAccessMode)) return { approvalUrl: null, hostedApprovalUrl: null };
  const url = `${pageOf(gateway, approval)}?token=${linkToken(gateway, approval.id)}`;
  return { approvalUrl: url, hostedApprovalUrl: url };
}

/**
 * The address under which one person reviews an approval, whatever its access mode: it stands for a dashboard sign-in, and says whom with
 * `as`. For that person alone.
 */
export function personalLink(gateway: LinkMaker, approval: Pick<Approval, 'id'>, person: Person): string {
  const ref = refOfPerson(person);
  return `${pageOf(gateway, approval)}?token=${linkToken(gateway, approval.id, ref)}&as=${encodeURIComponent(ref)}`;
}

/** The page of the run that an approval belongs to, by a link of that approval: whoever may open the one may open the other. */
export function codeRunLink(approvalUrl: string): string {
  const url = new URL(approvalUrl);
  url.pathname += '/run';
  return url.href;
}

/** True when a token is the link token of this approval, or of this approval and that person. It is recomputed, so nothing is stored that could leak. */
export function isLinkToken(gateway: Pick<Gateway, 'tokens'>, approvalId: string, token: string, ref?: string): boolean {
  return isWellFormed(token, PREFIX) && sameSecret(token, linkToken(gateway, approvalId, ref));
}

type LinkMaker = Pick<Gateway, 'tokens' | 'config'>;

function pageOf({ config }: LinkMaker, { id }: Pick<Approval, 'id'>): string {
  return `${config.platformUrl}/approve/${id}`;
}

/** Ids hold no NUL, and neither do references. */
function linkToken({ tokens }: Pick<Gateway, 'tokens'>, approvalId: string, ref?: string): string {
  return tokens.derive(PREFIX, ref === undefined ? approvalId : `${approvalId}\0${ref}`);
}
