import type { Actor } from './approval.ts';
import { GatewayError } from './errors.ts';

/** The caller: an authenticated API key, or a member who is signed in to the dashboard. */
export interface KeyPrincipal {
  type: 'api_key' | 'user';
  id: string;
  orgId: string;
  name: string;
  /** `all` for an org-wide key. An empty list means no workspace. */
  workspaceIds: 'all' | readonly string[];
  mayDecide: boolean;
  /**
   * Version of the policies when the key was looked up. It saves the gate a round trip to the
   * database.
   */
  policiesVersion: number;
  /** When the key was looked up, by the database clock. */
  seenAt: Date;
}

/** The caller: an authenticated token of one MCP server. */
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

/** Returns the actor that is recorded for a caller. */
export function actorOf(principal: Principal): Actor {
  return { type: principal.type, id: principal.id };
}

/** Whether the key may enter a workspace of its organization. */
export function mayEnter(principal: KeyPrincipal, workspaceId: string): boolean {
  return principal.workspaceIds === 'all' || principal.workspaceIds.includes(workspaceId);
}

/** Throws SCOPE_DENIED if the key may not enter this workspace (specification 5.2). */
export function assertWorkspace(principal: KeyPrincipal, workspaceId: string): void {
  if (!mayEnter(principal, workspaceId))
    throw new GatewayError('SCOPE_DENIED', 'This key has no access to that workspace.', { workspaceId });
}

/** Throws SCOPE_DENIED if the key is not org-wide (specification 5.3). */
export function assertOrgWide(principal: KeyPrincipal): void {
  if (principal.workspaceIds !== 'all') throw new GatewayError('SCOPE_DENIED', 'This needs an org-wide key.');
}

/**
 * Throws APPROVAL_DECISION_SCOPE_REQUIRED for a workspace key that may not decide (contract
 * decisions 7, Writing policies). Such a key could remove the gates of its own calls.
 */
export function assertMayWritePolicies(principal: KeyPrincipal): void {
  if (principal.workspaceIds === 'all' || principal.mayDecide) return;
  throw new GatewayError(
    'APPROVAL_DECISION_SCOPE_REQUIRED',
    'This key may not write approval policies. Use an org-wide key, or a workspace key that holds permissions.approvals.decide.',
  );
}

/** Throws APPROVAL_DECISION_SCOPE_REQUIRED if the key may not decide (specification 5.4). */
export function assertMayDecide(principal: KeyPrincipal): void {
  if (!principal.mayDecide) {
    throw new GatewayError(
      'APPROVAL_DECISION_SCOPE_REQUIRED',
      'This key may not decide approvals. Use a key that holds permissions.approvals.decide.',
    );
  }
}
