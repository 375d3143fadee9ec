import type { CountedEndUser } from '../../domain/end-user.ts';
import { GatewayError } from '../../domain/errors.ts';
import { type KeyPrincipal, mayEnter } from '../../domain/principal.ts';
import { insertEndUser, type NewEndUser } from '../../store/end-users.ts';
import type { Gateway } from '../gateway.ts';
import { getWorkspace } from '../workspaces/get-workspace.ts';

/**
 * Creates an end user. Throws NOT_FOUND and SCOPE_DENIED for the workspace, and DUPLICATE if the
 * externalId exists there.
 */
export async function createEndUser(gateway: Gateway, principal: KeyPrincipal, fields: Omit<NewEndUser, 'orgId'>): Promise<CountedEndUser> {
  // The insert checks the workspace itself: one round trip in the usual case.
  const isOpen = mayEnter(principal, fields.workspaceId);
  const endUser = isOpen ? await insertEndUser(gateway.db, { ...fields, orgId: principal.orgId }) : undefined;
  if (endUser) return { ...endUser, connectionCount: 0 };
  await getWorkspace(gateway, principal, fields.workspaceId);
  throw new GatewayError('DUPLICATE', 'Another end user of this workspace has this externalId.');
}
