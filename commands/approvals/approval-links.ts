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
 * Returns the addresses for the caller whose call waits for approval (specification 2.8). If the
 * access mode allows no hosted link, returns only the address in the dashboard. If the policy names
 * people, a hosted link shows the request but cannot decide it (contract decisions 7, Caller's
 * link).
 */
export function callerLinks(gateway: LinkMaker, approval: Linked): ApprovalLinks {
  return hostedLinks(gateway, approval);
}

/**
 * Returns the addresses where an approver can decide. If the access mode allows no hosted link,
 * returns only the address in the dashboard. Hosted links are bearer links, so give them only to
 * webhook approvers and to API keys that may decide.
 */
export function decidingLinks(gateway: LinkMaker, approval: Linked & Pick<Approval, 'approvers'>): ApprovalLinks {
  return hostedLinks(gateway, approval, namesPeople(approval.approvers) ? DECIDES : undefined);
}

/**
 * Returns the address where one person reviews an approval, in any access mode. The address
 * replaces a dashboard sign-in. The parameter `as` names the person. Only that person may know the
 * address.
 */
export function personalLink(gateway: LinkMaker, approval: Pick<Approval, 'id'>, person: Person): string {
  const ref = refOfPerson(person);
  return `${pageOf(gateway, approval)}?token=${linkToken(gateway, approval.id, ref)}&as=${encodeURIComponent(ref)}`;
}

/**
 * Returns the address of the page that shows the code run of an approval, given a link to the
 * approval. Every link that opens the approval also opens the run.
 */
export function codeRunLink(approvalUrl: string): string {
  const url = new URL(approvalUrl);
  url.pathname += '/run';
  return url.href;
}

/** The kind of a link: for the caller, for any approver to decide, or for one person. */
export type LinkKind = 'caller' | 'deciding' | 'personal';

/**
 * Returns the kind of link that a token belongs to; undefined for an invalid token. Tokens are not
 * stored, but derived again.
 */
export function kindOfLink(gateway: Pick<Gateway, 'tokens'>, approvalId: string, token: string, ref?: string): LinkKind | undefined {
  if (!isWellFormed(token, PREFIX)) return undefined;
  const isTokenOf = (subject?: string) => sameSecret(token, linkToken(gateway, approvalId, subject));
  if (ref !== undefined) return isTokenOf(ref) ? 'personal' : undefined;
  if (isTokenOf()) return 'caller';
  return isTokenOf(DECIDES) ? 'deciding' : undefined;
}

type LinkMaker = Pick<Gateway, 'tokens' | 'config'>;

/**
 * The subject in the token of a deciding link, if the policy names people. The caller's link then
 * cannot decide, so the two links must differ. No reference to a person equals this text.
 */
const DECIDES = 'decides';

function hostedLinks(gateway: LinkMaker, { id, approvalAccessMode }: Linked, subject?: string): ApprovalLinks {
  if (!allowsHostedLink(approvalAccessMode)) return { approvalUrl: dashboardPage(gateway, id), hostedApprovalUrl: null };
  const url = `${pageOf(gateway, { id })}?token=${linkToken(gateway, id, subject)}`;
  return { approvalUrl: url, hostedApprovalUrl: url };
}

/** Returns the address of the dashboard page of an approval. The page needs a sign-in. */
function dashboardPage({ config }: LinkMaker, id: string): string {
  return `${config.platformUrl}/app/approvals/${id}`;
}

function pageOf({ config }: LinkMaker, { id }: Pick<Approval, 'id'>): string {
  return `${config.platformUrl}/approve/${id}`;
}

/**
 * Derives the token of a link. Ids and references contain no NUL, so the joined text is
 * unambiguous.
 */
function linkToken({ tokens }: Pick<Gateway, 'tokens'>, approvalId: string, subject?: string): string {
  return tokens.derive(PREFIX, subject === undefined ? approvalId : `${approvalId}\0${subject}`);
}
