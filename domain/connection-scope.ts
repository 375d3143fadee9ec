import type { Issue } from './bound-error.ts';
import type { ConnectionScope } from './connection.ts';
import type { KeyPrincipal } from './principal.ts';

/** The fields of a request that determine the owner of a connection. */
export interface ConnectionOwner {
  scope?: ConnectionScope | undefined;
  workspaceId?: string | undefined;
  /** External id. */
  endUserId?: string | undefined;
  workspaceIntegrationId?: string | undefined;
}

/** The default scope in words, for the API reference. */
export const DEFAULT_SCOPE_WORDS =
  'Default: USER if endUserId is given. Otherwise ORGANIZATION for an org-wide key, and WORKSPACE for a workspace key that sends workspaceId. ORGANIZATION needs an org-wide key';

/** Returns the requested scope, or the default (`DEFAULT_SCOPE_WORDS`). */
export function scopeOf(
  { scope, endUserId, workspaceId }: ConnectionOwner,
  { workspaceIds }: Pick<KeyPrincipal, 'workspaceIds'>,
): ConnectionScope {
  if (scope !== undefined) return scope;
  if (endUserId !== undefined) return 'USER';
  return workspaceIds === 'all' || workspaceId === undefined ? 'ORGANIZATION' : 'WORKSPACE';
}

/** Returns the issues of missing or contradictory fields. */
export function ownerIssues(owner: ConnectionOwner): Issue[] {
  const scope = scopeOf(owner, { workspaceIds: 'all' });
  const { workspaceId, endUserId, workspaceIntegrationId } = owner;
  const issues: Issue[] = [];
  if (workspaceId === undefined && scope !== 'ORGANIZATION')
    issues.push({ path: 'workspaceId', message: `is required for the scope ${scope}` });
  else if (workspaceId === undefined && workspaceIntegrationId !== undefined)
    issues.push({ path: 'workspaceId', message: 'is required with workspaceIntegrationId' });
  if (scope === 'USER' && endUserId === undefined) issues.push({ path: 'endUserId', message: 'is required for the scope USER' });
  if (scope !== 'USER' && endUserId !== undefined)
    issues.push({ path: 'endUserId', message: `contradicts the scope ${scope}: only connections of the scope USER belong to an end user` });
  return issues;
}
