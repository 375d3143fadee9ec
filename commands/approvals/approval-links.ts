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
 * The addresses for the caller whose call is held, as the access mode allows (specification 2.8).
 * If the policy names people, these links show the request and cannot decide it (contract decisions
 * 7, Caller's link).
 */
export function callerLinks(gateway: LinkMaker, approval: Linked): ApprovalLinks {
  return hostedLinks(gateway, approval);
}

/**
 * The addresses that can decide, as the access mode allows. They are bearer links: only for webhook
 * approvers and for API keys that may decide.
 */
export function decidingLinks(gateway: LinkMaker, approval: Linked & Pick<Approval, 'approvers'>): ApprovalLinks {
  return hostedLinks(gateway, approval, namesPeople(approval.approvers) ? DECIDES : undefined);
}

/**
 * The address where one person reviews an approval, in any access mode. It stands in for a
 * dashboard sign-in; `as` names the person. It is secret to that person.
 */
export function personalLink(gateway: LinkMaker, approval: Pick<Approval, 'id'>, person: Person): string {
  const ref = refOfPerson(person);
  return `${pageOf(gateway, approval)}?token=${linkToken(gateway, approval.id, ref)}&as=${encodeURIComponent(ref)}`;
}

/**
 * The page of the code run of an approval, by a link of that approval: who may open one may open
 * the other.
 */
export function codeRunLink(approvalUrl: string): string {
  const url = new URL(approvalUrl);
  url.pathname += '/run';
  return url.href;
}

/**
 * The kind of link that a token belongs to: of the caller, deciding for any approver, or personal.
 */
export type LinkKind = 'caller' | 'deciding' | 'personal';

/**
 * The kind of link that a token belongs to; undefined for none. Tokens are derived again, so no
 * stored token can leak.
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
 * The subject of a deciding link where the link of the caller cannot decide. No reference to a
 * person equals it.
 */
const DECIDES = 'decides';

function hostedLinks(gateway: LinkMaker, { id, approvalAccessMode }: Linked, subject?: string): ApprovalLinks {
  if (!allowsHostedLink(approvalAccessMode)) return { approvalUrl: dashboardPage(gateway, id), hostedApprovalUrl: null };
  const url = `${pageOf(gateway, { id })}?token=${linkToken(gateway, id, subject)}`;
  return { approvalUrl: url, hostedApprovalUrl: url };
}

/** The page of the dashboard. Its URL contains no token, and it needs a sign-in. */
function dashboardPage({ config }: LinkMaker, id: string): string {
  return `${config.platformUrl}/app/approvals/${id}`;
}

function pageOf({ config }: LinkMaker, { id }: Pick<Approval, 'id'>): string {
  return `${config.platformUrl}/approve/${id}`;
}

/** IDs and references contain no NUL, so the joined text is unambiguous. */
function linkToken({ tokens }: Pick<Gateway, 'tokens'>, approvalId: string, subject?: string): string {
  return tokens.derive(PREFIX, subject === undefined ? approvalId : `${approvalId}\0${subject}`);
}
