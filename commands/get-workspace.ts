import { GatewayError } from '../domain/errors.ts';
import { assertWorkspace, type KeyPrincipal } from '../domain/principal.ts';
import type { Workspace } from '../domain/workspace.ts';
import { findWorkspace } from '../store/workspaces.ts';
import type { Gateway } from './gateway.ts';

/** The workspace of that id, if the key may enter it. Throws NOT_FOUND for an unknown or foreign one, then SCOPE_DENIED. */
export async function getWorkspace(gateway: Gateway, principal: KeyPrincipal, workspaceId: string): Promise<Workspace> {
  const workspace = await findWorkspace(gateway.db, principal.orgId, workspaceId);
  if (!workspace) throw new GatewayError('NOT_FOUND', 'There is no such workspace.');
  assertWorkspace(principal, workspace.id);
  return workspace;
}
