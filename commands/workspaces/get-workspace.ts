import { GatewayError } from '../../domain/errors.ts';
import { assertWorkspace, type KeyPrincipal } from '../../domain/principal.ts';
import type { Workspace } from '../../domain/workspace.ts';
import { findWorkspace } from '../../store/workspaces.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Finds the workspace of that id. Throws NOT_FOUND if it is unknown or foreign, then SCOPE_DENIED
 * if the key may not enter it.
 */
export async function getWorkspace(gateway: Gateway, principal: KeyPrincipal, workspaceId: string): Promise<Workspace> {
  return enterWorkspace(principal, await findWorkspace(gateway.db, principal.orgId, workspaceId));
}

/** The same for what was read with the key; undefined: the organization has no such workspace. */
export function enterWorkspace(principal: KeyPrincipal, workspace: Workspace | undefined): Workspace {
  if (!workspace) throw noSuchWorkspace();
  assertWorkspace(principal, workspace.id);
  return workspace;
}

/** The error for an unknown, foreign or deleted workspace. */
export function noSuchWorkspace(): GatewayError {
  return new GatewayError('NOT_FOUND', 'There is no such workspace.');
}
