import type { ActivityType } from '../../../../domain/activity.ts';
import type { ActorType } from '../../../../domain/approval.ts';
import { SIGN_IN_METHODS, type SignedInMember, type SignInMethod } from '../../../../domain/member.ts';
import type { ListedActivity } from '../../../../store/activity-list.ts';

/** The shown name of each type of activity. */
export const EVENTS: Record<ActivityType, string> = {
  'approval.requested': 'Approval asked for',
  'approval.approved': 'Approved',
  'approval.rejected': 'Rejected',
  'approval.canceled': 'Withdrawn',
  'approval.expired': 'Expired',
  'approval.consumed': 'Approval used',
  'approval.decision_refused': 'Decision refused',
  'call.let_through': 'Call let through',
  'call.reused': 'Approval used again',
  'call.blocked': 'Call blocked',
  'call.outcome_unknown': 'Outcome of a call unknown',
  'code_run.canceled': 'Code run canceled',
  'code_run.replayed': 'Code run replayed',
  'webhook.delivered': 'Webhook arrived',
  'webhook.attempt_failed': 'Webhook attempt failed',
  'webhook.given_up': 'Webhook given up',
  'webhook.redelivery_asked': 'Webhook sent again',
  'webhook_secret.rotated': 'Webhook secret rotated',
  'policy.created': 'Policy created',
  'policy.updated': 'Policy changed',
  'policy.deleted': 'Policy deleted',
  'api_key.created': 'API key created',
  'api_key.deleted': 'API key deleted',
  'mcp_server.created': 'MCP server created',
  'mcp_server.updated': 'MCP server changed',
  'mcp_server.suspended': 'MCP server suspended',
  'mcp_server.resumed': 'MCP server resumed',
  'mcp_server.deleted': 'MCP server deleted',
  'mcp_token.issued': 'Token issued',
  'mcp_token.revoked': 'Token revoked',
  'oauth_app.created': 'OAuth app created',
  'oauth_app.deleted': 'OAuth app deleted',
  'integration.imported': 'Integration imported',
  'integration.updated': 'Integration changed',
  'integration.deleted': 'Integration deleted',
  'integration_change.found': 'Integration changes found',
  'integration_change.accepted': 'Integration change accepted',
  'integration_change.rejected': 'Integration change rejected',
  'workspace.created': 'Workspace created',
  'workspace.updated': 'Workspace changed',
  'workspace.deleted': 'Workspace deleted',
  'workspace_integration.added': 'Integration added to a workspace',
  'workspace_integration.updated': 'Integration of a workspace changed',
  'workspace_integration.removed': 'Integration removed from a workspace',
  'partial.created': 'Partial created',
  'partial.updated': 'Partial changed',
  'partial.deleted': 'Partial deleted',
  'connection.created': 'Account connected',
  'connection.reconnected': 'Account reconnected',
  'connection.failed': 'Account stopped working',
  'connection.recovered': 'Account works again',
  'connection.deleted': 'Account disconnected',
  'connect_link.issued': 'Connect link made',
  'end_user.created': 'Person created',
  'end_user.updated': 'Person changed',
  'end_user.invited': 'Person invited',
  'end_user.deleted': 'Person deleted',
  'organization.renamed': 'Organization renamed',
  'encryption_key.rotated': 'Encryption key rotated',
  'oauth_keys.rotated': 'Signing keys rotated',
  'member.added': 'Member added',
  'member.updated': 'Member changed',
  'member.removed': 'Member removed',
  'member.invited': 'Member invited',
  'member.signed_in': 'Signed in',
  'member.sign_in_failed': 'Sign-in failed',
  'member.signed_out_everywhere': 'Signed out everywhere',
  'member.password_changed': 'Password changed',
};

/** The shown name of an actor whose own name is unknown, by the type of the actor. */
export const ACTORS: Record<ActorType, string> = {
  api_key: 'A deleted key',
  mcp_token: 'An agent',
  hosted_link: 'Holder of a link',
  user: 'A former member',
  end_user: 'An end user',
  operator: 'Operator',
  policy: 'The policy',
  timeout: 'Nobody: time ran out',
  system: 'The service',
};

/** The shown name of the actor of a row. */
export function describeActor({ actorType, actorId }: ListedActivity, names: ReadonlyMap<string, string>): string {
  const name = actorId === null ? undefined : names.get(actorId);
  if (name !== undefined) return actorType === 'mcp_token' ? `An agent through ${name}` : name;
  if (actorId !== null && actorType === 'end_user') return actorId;
  if (actorId !== null && actorType === 'operator') return `Operator ${actorId}`;
  return ACTORS[actorType];
}

/** What a row is about, in a few words. Empty if the row names nothing. */
export function describeSubject({ type, integrationName, actionName, details }: ListedActivity): string {
  const read = JSON.parse(details) as Partial<Record<string, unknown>>;
  const policy = read.policy as { name?: string } | undefined;
  const called = [integrationName, actionName].filter((part) => part !== null).join('.');
  if (type === 'member.signed_in') return SIGN_IN_METHODS[read.method as SignInMethod] ?? '';
  const named = policy?.name ?? read.displayName ?? read.name ?? read.alias ?? read.email ?? read.host ?? read.endUserId ?? read.externalId;
  const event = type.startsWith('webhook.') ? read.event : undefined;
  const parts = [named, event, called].filter((part) => typeof part === 'string' && part !== '');
  return parts.join(', ');
}

/** Path, below /app, of the page about the subject of a row; undefined if there is none. */
export function pageOfSubject(row: ListedActivity, member: SignedInMember): string | undefined {
  const { type, workspaceId, approvalId, codeRunId, policyId, deliveryId, integrationName, details } = row;
  if (deliveryId !== null) return `/webhooks/deliveries/${deliveryId}`;
  if (approvalId !== null) return `/approvals/${approvalId}`;
  if (codeRunId !== null) return `/runs/${codeRunId}`;
  if (policyId !== null) return type === 'policy.deleted' ? undefined : `/policies/${policyId}`;
  if (type === 'api_key.created') return '/keys';
  if (type === 'oauth_app.created') return '/settings/oauth-apps';
  if (/^integration(_change)?\./.test(type)) return type === 'integration.deleted' ? undefined : `/integrations/${integrationName}`;
  if (/^mcp_(server|token)\./.test(type)) return type === 'mcp_server.deleted' ? undefined : `/servers/${JSON.parse(details).serverId}`;
  const read = JSON.parse(details) as Partial<Record<string, string>>;
  const subject = type.split('.')[0]!;
  if (Object.hasOwn(PARTS, subject)) return /\.(deleted|removed)$/.test(type) ? undefined : PARTS[subject]!(read, workspaceId);
  if (!type.startsWith('member.') || type === 'member.removed') return undefined;
  const { userId } = read;
  // Admins may not open the page of an owner, so only owners get a link to the member's page.
  return member.role === 'owner' && userId !== undefined ? `/settings/members/${userId}` : '/settings/members';
}

const PARTS: Record<string, (details: Partial<Record<string, string>>, workspaceId: string | null) => string | undefined> = {
  workspace: (_, workspaceId) => `/workspaces/${workspaceId}`,
  workspace_integration: ({ alias }, workspaceId) => `/workspaces/${workspaceId}/integrations/${alias}`,
  connection: ({ connectionId }) => `/connections/${connectionId}`,
  end_user: ({ endUserUuid }) => `/people/${endUserUuid}`,
  connect_link: ({ endUserUuid }) => (endUserUuid === undefined ? undefined : `/people/${endUserUuid}`),
};
