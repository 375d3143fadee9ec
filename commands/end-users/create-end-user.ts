import { randomUUID } from 'node:crypto';
import { endUserActivity } from '../../domain/audit/setup-activity.ts';
import type { CountedEndUser } from '../../domain/end-user.ts';
import { GatewayError } from '../../domain/errors.ts';
import { actorOf, type KeyPrincipal, mayEnter } from '../../domain/principal.ts';
import type { NewEndUser } from '../../store/end-users.ts';
import { activityRow } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import { getWorkspace } from '../workspaces/get-workspace.ts';

/**
 * Creates an end user. Throws NOT_FOUND and SCOPE_DENIED for the workspace, and DUPLICATE if the
 * workspace already has the externalId.
 */
export async function createEndUser(
  gateway: Gateway,
  principal: KeyPrincipal,
  fields: Omit<NewEndUser, 'id' | 'orgId'>,
): Promise<CountedEndUser> {
  const given = { ...fields, id: randomUUID(), orgId: principal.orgId };
  const event = activityRow(endUserActivity('end_user.created', given, actorOf(principal)));
  const endUser = mayEnter(principal, fields.workspaceId) ? await gateway.insertEndUser({ endUser: given, event }) : undefined;
  if (endUser) return { ...endUser, connectionCount: 0 };
  // Throws if the workspace is the reason why nothing was inserted.
  await getWorkspace(gateway, principal, fields.workspaceId);
  throw new GatewayError('DUPLICATE', 'Another end user of this workspace has this externalId.');
}
