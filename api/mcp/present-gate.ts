import { approvalLinks } from '../../commands/approval-links.ts';
import type { Gateway } from '../../commands/gateway.ts';
import type { Approval } from '../../domain/approval.ts';
import { escapeHidden } from '../../domain/preview-input.ts';

const REVIEW = 'Review and decide';
const ELSEWHERE = 'A reviewer decides it in the dashboard or through the API.';

/** What an agent is shown of a call that waits for a person (specification 4.2, when a Human Gate pauses). */
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

export interface GateLink {
  kind: 'approval';
  label: string;
  url: string;
  primary: boolean;
}

/** The gate of one approval; it carries the bearer link, so it is for the caller that was gated alone. */
export function presentGate(gateway: Gateway, approval: Approval, words: { title: string; description: string }): Gate {
  const shown = presentGateApproval(gateway, approval);
  return {
    status: 'approval_required',
    view: 'approval_required',
    ...words,
    approval: shown,
    links: shown.hostedApprovalUrl ? [{ kind: 'approval', label: REVIEW, url: shown.hostedApprovalUrl, primary: true }] : [],
  };
}

export function presentGateApproval(gateway: Gateway, approval: Approval): GateApproval {
  return { id: approval.id, ...approvalLinks(gateway, approval), expiresAt: approval.expiresAt.toISOString() };
}

/** The same as Markdown, for clients that show text alone. */
export function gateMarkdown({ title, description, approval, links }: Gate): string {
  const where = links.map(({ label, url }) => `[${label}](${url})`).join(' · ') || ELSEWHERE;
  return [`**${title}**`, description, where, `Approval \`${approval.id}\`, open until ${approval.expiresAt}.`].join('\n\n');
}

/** The same where several approvals are needed: each by its policy and action, with its own link while it waits. */
export function groupMarkdown(gateway: Gateway, { title, description }: Gate, approvals: readonly Approval[]): string {
  const items = approvals.map((approval) => {
    const { hostedApprovalUrl, expiresAt } = presentGateApproval(gateway, approval);
    const what = `- Policy "${escapeHidden(approval.policyName ?? '')}", ${toolOf(approval)}: approval \`${approval.id}\``;
    if (approval.status !== 'pending') return `${what}, ${approval.status} already`;
    return `${what}, open until ${expiresAt}. ${hostedApprovalUrl ? `[${REVIEW}](${hostedApprovalUrl})` : ELSEWHERE}`;
  });
  return [`**${title}**`, description, items.join('\n')].join('\n\n');
}

/** `slack.send_message` */
export function toolOf({ integrationAlias, integrationName, actionName }: Approval): string {
  return `${integrationAlias ?? integrationName}.${actionName}`;
}
