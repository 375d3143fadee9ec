import type { ConnectionScope } from './connection.ts';
import type { Issue } from './errors.ts';
import type { KeyPrincipal } from './principal.ts';

/** What a request says about whose a connection is to be. */
export interface ConnectionOwner {
  scope?: ConnectionScope | undefined;
  workspaceId?: string | undefined;
  /** External id. */
  endUserId?: string | undefined;
  workspaceIntegrationId?: string | undefined;
}

/** The default in words, for readers of the interface. */
export const DEFAULT_SCOPE_WORDS =
  'Default: USER where endUserId is given, else ORGANIZATION for an org-wide key and WORKSPACE for a workspace key that names its workspaceId. ORGANIZATION takes an org-wide key';

/**
 * The scope asked for, else USER where an end user is named, else what the key may reach: ORGANIZATION for an org-wide key, WORKSPACE for
 * a workspace key that names a workspace. ORGANIZATION remains where it names none, and is not its to give.
 */
export function scopeOf(
  { scope, endUserId, workspaceId }: ConnectionOwner,
  { workspaceIds }: Pick<KeyPrincipal, 'workspaceIds'>,
): ConnectionScope {
  if (scope !== undefined) return scope;
  if (endUserId !== undefined) return 'USER';
  return workspaceIds === 'all' || workspaceId === undefined ? 'ORGANIZATION' : 'WORKSPACE';
}

/**
 * What is missing or contradicts itself, whoever asks: a default that depends on the key has what it needs. A workspace named for an
 * ORGANIZATION connection is merely where the request comes from.
 */
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
    issues.push({ path: 'endUserId', message: `contradicts the scope ${scope}: only a connection of the scope USER is an end user's` });
  return issues;
}
