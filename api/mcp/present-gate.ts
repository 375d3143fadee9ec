import { callerLinks } from '../../commands/approvals/approval-links.ts';
import type { Gateway } from '../../commands/gateway.ts';
import type { Approval } from '../../domain/approval.ts';
import { namesPeople } from '../../domain/policies/approver-rules.ts';
import { escapeHidden } from '../../domain/redaction/visible-text.ts';

const REVIEW = 'Review and decide';
const SHOW = 'See the request (only the people named by its policy can decide)';
const ELSEWHERE = 'A reviewer decides it in the dashboard or through the API.';

/** The answer to a call that waits for approval (specification 4.2, Human Gate). */
export interface Gate {
  status: 'approval_required';
  view: 'approval_required';
  title: string;
  description: string;
  approval: GateApproval;
  links: GateLink[];
}

export interface GateApproval {
  id: string;
  approvalUrl: string | null;
  hostedApprovalUrl: string | null;
  expiresAt: string;
}

interface GateLink {
  kind: 'approval';
  label: string;
  url: string;
  primary: boolean;
}

/**
 * Returns the answer about one approval. Send this answer only to the caller whose call waits,
 * because the answer contains the approval link.
 */
export function presentGate(gateway: Gateway, approval: Approval, words: { title: string; description: string }): Gate {
  const shown = presentGateApproval(gateway, approval);
  return {
    status: 'approval_required',
    view: 'approval_required',
    ...words,
    approval: shown,
    links: shown.hostedApprovalUrl ? [{ kind: 'approval', label: labelOf(approval), url: shown.hostedApprovalUrl, primary: true }] : [],
  };
}

/** The fields of an approval in a `Gate`, with the caller's links. */
export function presentGateApproval(gateway: Gateway, approval: Approval): GateApproval {
  return { id: approval.id, ...callerLinks(gateway, approval), expiresAt: approval.expiresAt.toISOString() };
}

/** A `Gate` as Markdown, for clients that show only text. */
export function gateMarkdown({ title, description, approval, links }: Gate): string {
  const where = links.map(({ label, url }) => `[${label}](${url})`).join(' · ') || ELSEWHERE;
  return [`**${title}**`, description, where, `Approval \`${approval.id}\`, open until ${approval.expiresAt}.`].join('\n\n');
}

/** Several approvals as Markdown, each with its policy and action. */
export function groupMarkdown(gateway: Gateway, { title, description }: Gate, approvals: readonly Approval[]): string {
  const items = approvals.map((approval) => {
    const { hostedApprovalUrl, expiresAt } = presentGateApproval(gateway, approval);
    const what = `- Policy "${escapeHidden(approval.policyName ?? '')}", ${toolOf(approval)}: approval \`${approval.id}\``;
    if (approval.status !== 'pending') return `${what}, ${approval.status} already`;
    return `${what}, open until ${expiresAt}. ${hostedApprovalUrl ? `[${labelOf(approval)}](${hostedApprovalUrl})` : ELSEWHERE}`;
  });
  return [`**${title}**`, description, items.join('\n')].join('\n\n');
}

function labelOf({ approvers }: Approval): string {
  return namesPeople(approvers) ? SHOW : REVIEW;
}

/** The alias and action of the call that waits, such as `slack.send_message`. */
export function toolOf({ integrationAlias, integrationName, actionName }: Approval): string {
  return `${integrationAlias ?? integrationName}.${actionName}`;
}
