import type { ConnectionScope } from './connection.ts';
import type { Issue } from './errors.ts';

/** What a request says about whose a connection is to be. */
export interface ConnectionOwner {
  scope?: ConnectionScope | undefined;
  workspaceId?: string | undefined;
  /** External id. */
  endUserId?: string | undefined;
  workspaceIntegrationId?: string | undefined;
}

/** The scope asked for, else USER where an end user is named, else ORGANIZATION (decisions section 2, Connections). */
export function scopeOf({ scope, endUserId }: ConnectionOwner): ConnectionScope {
  return scope ?? (endUserId === undefined ? 'ORGANIZATION' : 'USER');
}

/** What is missing or contradicts itself; a workspace named for an ORGANIZATION connection is merely where the request comes from. */
export function ownerIssues(owner: ConnectionOwner): Issue[] {
  const scope = scopeOf(owner);
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
