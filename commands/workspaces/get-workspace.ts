import { GatewayError } from '../../domain/errors.ts';
import { assertWorkspace, type KeyPrincipal } from '../../domain/principal.ts';
import type { Workspace } from '../../domain/workspace.ts';
import { findWorkspace } from '../../store/workspaces.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Throws NOT_FOUND if the organization has no such workspace, then SCOPE_DENIED if the key may not
 * access it.
 */
export async function getWorkspace(gateway: Gateway, principal: KeyPrincipal, workspaceId: string): Promise<Workspace> {
  return enterWorkspace(principal, await findWorkspace(gateway.db, principal.orgId, workspaceId));
}

/**
 * Like `getWorkspace`, for a workspace that was already read. Undefined: the organization has no
 * such workspace.
 */
export function enterWorkspace(principal: KeyPrincipal, workspace: Workspace | undefined): Workspace {
  if (!workspace) throw noSuchWorkspace();
  assertWorkspace(principal, workspace.id);
  return workspace;
}

/** Returns the error for a workspace that the organization does not have. */
export function noSuchWorkspace(): GatewayError {
  return new GatewayError('NOT_FOUND', 'There is no such workspace.');
}
