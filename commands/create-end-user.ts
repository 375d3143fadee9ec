import type { CountedEndUser } from '../domain/end-user.ts';
import { GatewayError } from '../domain/errors.ts';
import { type KeyPrincipal, mayEnter } from '../domain/principal.ts';
import { insertEndUser, type NewEndUser } from '../store/end-users.ts';
import type { Gateway } from './gateway.ts';
import { getWorkspace } from './get-workspace.ts';

/** Creates an end user. Throws NOT_FOUND, SCOPE_DENIED for the workspace, and DUPLICATE when it has the externalId already. */
export async function createEndUser(gateway: Gateway, principal: KeyPrincipal, fields: Omit<NewEndUser, 'orgId'>): Promise<CountedEndUser> {
  // The insert itself finds the workspace: one round trip when all is well.
  const isOpen = mayEnter(principal, fields.workspaceId);
  const endUser = isOpen ? await insertEndUser(gateway.db, { ...fields, orgId: principal.orgId }) : undefined;
  if (endUser) return { ...endUser, connectionCount: 0 };
  await getWorkspace(gateway, principal, fields.workspaceId);
  throw new GatewayError('DUPLICATE', 'Another end user of this workspace has this externalId.');
}
