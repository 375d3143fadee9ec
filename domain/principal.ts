import type { Actor } from './approval.ts';
import { GatewayError } from './errors.ts';

/** Who calls: an API key, already authenticated. */
export interface KeyPrincipal {
  type: 'api_key';
  id: string;
  orgId: string;
  name: string;
  /** `all` for an org-wide key; a workspace key lists its workspaces, and an empty list means none. */
  workspaceIds: 'all' | readonly string[];
  mayDecide: boolean;
  /** Version of the organization's policies when the key was looked up; spares the gate a round trip. */
  policiesVersion: number;
  /** When the key was looked up, by the database clock. */
  seenAt: Date;
}

/** Who calls: a token of one MCP server. */
export interface TokenPrincipal {
  type: 'mcp_token';
  id: string;
  orgId: string;
  workspaceId: string;
  serverId: string;
  endUserId: string | null;
  scopes: readonly string[];
  policiesVersion: number;
  seenAt: Date;
}

export type Principal = KeyPrincipal | TokenPrincipal;

export function actorOf(principal: Principal): Actor {
  return { type: principal.type, id: principal.id };
}

export function mayEnter(principal: KeyPrincipal, workspaceId: string): boolean {
  return principal.workspaceIds === 'all' || principal.workspaceIds.includes(workspaceId);
}

/** Throws SCOPE_DENIED unless the key reaches this workspace of its own organization (specification 5.2). */
export function assertWorkspace(principal: KeyPrincipal, workspaceId: string): void {
  if (!mayEnter(principal, workspaceId))
    throw new GatewayError('SCOPE_DENIED', 'This key has no access to that workspace.', { workspaceId });
}

/** Throws SCOPE_DENIED unless the key is org-wide (specification 5.3). */
export function assertOrgWide(principal: KeyPrincipal): void {
  if (principal.workspaceIds !== 'all') throw new GatewayError('SCOPE_DENIED', 'This needs an org-wide key.');
}

/** Throws unless the key may decide Human Gates approvals (specification 5.4). */
export function assertMayDecide(principal: KeyPrincipal): void {
  if (!principal.mayDecide) {
    throw new GatewayError(
      'APPROVAL_DECISION_SCOPE_REQUIRED',
      'This key may not decide approvals. Use a key that holds permissions.approvals.decide.',
    );
  }
}
