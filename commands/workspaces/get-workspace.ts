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
  const workspace = await findWorkspace(gateway.db, principal.orgId, workspaceId);
  if (!workspace) throw noSuchWorkspace();
  assertWorkspace(principal, workspace.id);
  return workspace;
}

/** The error for an unknown, foreign or deleted workspace. */
export function noSuchWorkspace(): GatewayError {
  return new GatewayError('NOT_FOUND', 'There is no such workspace.');
}
