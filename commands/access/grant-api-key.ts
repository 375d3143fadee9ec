import { apiKeyActivity } from '../../domain/activity.ts';
import type { ApiKey } from '../../domain/api-key.ts';
import { GatewayError } from '../../domain/errors.ts';
import { actorOf, assertMayDecide, assertOrgWide, type KeyPrincipal } from '../../domain/principal.ts';
import { managesOwners } from '../../store/api-keys.ts';
import { listKnownWorkspaceIds } from '../../store/workspaces.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import { type CreateApiKey, createApiKey } from './create-api-key.ts';

/**
 * Creates an API key with at most the rights of the caller. For a signed-in member, the entry point
 * must set `request.managesOwners`.
 */
export async function grantApiKey(
  { db, tokens }: Pick<Gateway, 'db' | 'tokens'>,
  principal: KeyPrincipal,
  request: Omit<CreateApiKey, 'orgId'>,
): Promise<{ apiKey: ApiKey; plainKey: string }> {
  const { orgId } = principal;
  const { workspaceIds = [], approvals } = request.permissions;
  const known = await listKnownWorkspaceIds(db, orgId, workspaceIds);
  const unknown = workspaceIds.filter((id) => !known.includes(id));
  if (unknown.length > 0) throw new GatewayError('NOT_FOUND', 'There is no such workspace.', { workspaceIds: unknown });
  assertOrgWide(principal);
  if (approvals?.decide) assertMayDecide(principal);
  const isLimited = request.managesOwners === false || (principal.type === 'api_key' && !(await managesOwners(db, principal.id)));
  return db.transaction(async (tx) => {
    const created = await createApiKey({ db: tx, tokens }, { ...request, orgId, managesOwners: !isLimited });
    await recordActivity(tx, apiKeyActivity('api_key.created', created.apiKey, actorOf(principal)));
    return created;
  });
}
