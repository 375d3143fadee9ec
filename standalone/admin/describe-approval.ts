import type { ActorType, Approval } from '../../domain/approval.ts';
import { describeApprovers } from '../../domain/policies/approver-rules.ts';
import { escapeHidden } from '../../domain/redaction/visible-text.ts';
import { formatTable } from './format-table.ts';

/** Approvals as a table, cut to the width of the terminal. */
export function tableOfApprovals(approvals: readonly Approval[], total: number, nextCursor: string | null): string {
  if (total === 0) return 'No approvals.';
  const rows = approvals.map((approval) => [
    approval.id,
    approval.status,
    shortTime(approval.createdAt),
    approval.status === 'pending' ? shortTime(approval.expiresAt) : '',
    actionOf(approval),
    approval.endUserId ?? '',
    approval.riskReasons.join('; '),
  ]);
  const table = formatTable(['APPROVAL', 'STATUS', 'ASKED (UTC)', 'UNTIL', 'ACTION', 'END USER', 'WHY'], rows, process.stdout.columns);
  const more = nextCursor ? `. There are more: --cursor ${nextCursor}` : '';
  return approvals.length < total ? `${table}\n${approvals.length} of ${total}${more}` : table;
}

/** One approval in full, for a terminal. */
export function describeApproval(approval: Approval, deciderName: string | null): string {
  const facts: [string, string | null][] = [
    ['Approval', approval.id],
    ['Status', approval.status === 'pending' ? `pending, until ${approval.expiresAt.toISOString()}` : approval.status],
    ['Action', `${actionOf(approval)} (integration ${approval.integrationName})`],
    ['Workspace', approval.workspaceId],
    ['End user', approval.endUserId],
    [
      'Asked',
      `${approval.createdAt.toISOString()}, source ${approval.source}, by ${actorName(approval.requestedByType, approval.requestedById)}`,
    ],
    ['Code run', approval.codeRunId],
    ['Policy', approval.policyName && `${approval.policyName} (version ${approval.policyVersion})`],
    ['Why', approval.riskReasons.join('\n') || null],
    ['Who decides', describeApprovers(approval.approvers)],
    ['Decided', approval.decidedByType && describeDecider(approval, deciderName)],
    ['Used', approval.consumedAt?.toISOString() ?? null],
    ['Not shown', approval.redactedPaths.join(', ') || null],
    ['Input', JSON.stringify(approval.inputPreview, null, 2)],
  ];
  return facts.flatMap(([name, text]) => (text === null ? [] : describeFact(name, text))).join('\n');
}

const NAME_WIDTH = 13;

function describeFact(name: string, text: string): string[] {
  return text.split('\n').map((line, index) => `${(index === 0 ? name : '').padEnd(NAME_WIDTH)}${escapeHidden(line)}`.trimEnd());
}

/** Who decided, when and why, without a full stop. */
export function describeDecider(approval: Approval, deciderName: string | null): string {
  const { decidedByType, decidedById, decidedAt, decisionReason } = approval;
  if (decidedByType === null || decidedAt === null) return 'Nobody decided yet';
  const reason = decisionReason ? `: ${decisionReason}` : '';
  return escapeHidden(`By ${deciderName ?? actorName(decidedByType, decidedById)} at ${decidedAt.toISOString()}${reason}`);
}

const ACTORS: Record<ActorType, string> = {
  api_key: 'the API key',
  mcp_token: 'the MCP token',
  hosted_link: 'the holder of the link',
  user: 'the user',
  end_user: 'the end user',
  operator: 'the operator',
  policy: 'the policy',
  timeout: 'the timeout',
  system: 'the service',
};

function actorName(type: ActorType, id: string | null): string {
  return id === null || type === 'policy' ? ACTORS[type] : `${ACTORS[type]} ${id}`;
}

function actionOf({ integrationAlias, integrationName, actionName }: Approval): string {
  return `${integrationAlias ?? integrationName}.${actionName}`;
}

/** Returns a time such as `2026-03-01 12:00:05`, in UTC. */
function shortTime(at: Date): string {
  return at.toISOString().slice(0, 19).replace('T', ' ');
}

/** An approval as JSON, with the field names of the REST API and further fields. */
export function approvalAsJson(approval: Approval) {
  const { concernedConnectionIds: _, concernedIntegrationIds: _integrations, requestHash: _hash, ...shown } = approval;
  return shown;
}
