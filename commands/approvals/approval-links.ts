import { type Approval, allowsHostedLink } from '../../domain/approval.ts';
import { type Person, refOfPerson } from '../../domain/person.ts';
import { namesPeople } from '../../domain/policies/approver-rules.ts';
import { isWellFormed, sameSecret } from '../../infra/tokens.ts';
import type { Gateway } from '../gateway.ts';

const PREFIX = 'apr_link_v1_';

export interface ApprovalLinks {
  approvalUrl: string | null;
  hostedApprovalUrl: string | null;
}

type Linked = Pick<Approval, 'id' | 'approvalAccessMode'>;

/**
 * Links for the caller whose call waits for approval (specification 2.8). If the policy names
 * people, the hosted link cannot decide (contract decisions 7, Caller's link).
 */
export function callerLinks(gateway: LinkMaker, approval: Linked): ApprovalLinks {
  return hostedLinks(gateway, approval);
}

/**
 * Links through which an approver can decide. Hosted links are bearer links: give them only to
 * webhook approvers and to API keys that may decide.
 */
export function decidingLinks(gateway: LinkMaker, approval: Linked & Pick<Approval, 'approvers'>): ApprovalLinks {
  return hostedLinks(gateway, approval, namesPeople(approval.approvers) ? DECIDES : undefined);
}

/**
 * Links for a reader who may not decide. They contain no bearer link (contract decisions 3, Who
 * sees the bearer link). An approval without a hosted link has the address of its dashboard page.
 */
export function readerLinks(gateway: Pick<Gateway, 'config'>, { id, approvalAccessMode }: Linked): ApprovalLinks {
  return { approvalUrl: allowsHostedLink(approvalAccessMode) ? null : dashboardPage(gateway, id), hostedApprovalUrl: null };
}

/**
 * The address where one person reviews an approval, in any access mode. It replaces a dashboard
 * sign-in, so only that person may know it.
 */
export function personalLink(gateway: LinkMaker, approval: Pick<Approval, 'id'>, person: Person): string {
  const ref = refOfPerson(person);
  return `${pageOf(gateway, approval)}?token=${linkToken(gateway, approval.id, ref)}&as=${encodeURIComponent(ref)}`;
}

/** The page of an approval's code run. Every hosted link to the approval also opens the run. */
export function codeRunLink(approvalUrl: string): string {
  const url = new URL(approvalUrl);
  url.pathname += '/run';
  return url.href;
}

/** Whom a link is for: the caller, any approver, or one person. */
export type LinkKind = 'caller' | 'deciding' | 'personal';

/** Returns the kind of link that a token belongs to; undefined for an invalid token. */
export function kindOfLink(gateway: Pick<Gateway, 'tokens'>, approvalId: string, token: string, ref?: string): LinkKind | undefined {
  if (!isWellFormed(token, PREFIX)) return undefined;
  const isTokenOf = (subject?: string) => sameSecret(token, linkToken(gateway, approvalId, subject));
  if (ref !== undefined) return isTokenOf(ref) ? 'personal' : undefined;
  if (isTokenOf()) return 'caller';
  return isTokenOf(DECIDES) ? 'deciding' : undefined;
}

type LinkMaker = Pick<Gateway, 'tokens' | 'config'>;

/**
 * If the policy names people, the caller's link cannot decide. The token of the deciding link is
 * then derived with this text. No reference to a person equals the text.
 */
const DECIDES = 'decides';

function hostedLinks(gateway: LinkMaker, { id, approvalAccessMode }: Linked, subject?: string): ApprovalLinks {
  if (!allowsHostedLink(approvalAccessMode)) return readerLinks(gateway, { id, approvalAccessMode });
  const url = `${pageOf(gateway, { id })}?token=${linkToken(gateway, id, subject)}`;
  return { approvalUrl: url, hostedApprovalUrl: url };
}

function dashboardPage({ config }: Pick<Gateway, 'config'>, id: string): string {
  return `${config.platformUrl}/app/approvals/${id}`;
}

function pageOf({ config }: LinkMaker, { id }: Pick<Approval, 'id'>): string {
  return `${config.platformUrl}/approve/${id}`;
}

/** Ids and references contain no NUL, so the joined text is unambiguous. */
function linkToken({ tokens }: Pick<Gateway, 'tokens'>, approvalId: string, subject?: string): string {
  return tokens.derive(PREFIX, subject === undefined ? approvalId : `${approvalId}\0${subject}`);
}
