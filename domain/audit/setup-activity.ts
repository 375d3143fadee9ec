/**
 * Events of the records of workspaces (docs/audit.md). The log outlives these records, so details
 * have no credentials, no values of partials, and only the ids of an end user.
 */
import type { ActivityType, NewActivity } from '../activity.ts';
import type { Actor } from '../approval.ts';
import type { Connection } from '../connection.ts';
import type { EndUser } from '../end-user.ts';
import type { InputPartial } from '../input-partial.ts';
import type { Workspace } from '../workspace.ts';
import type { WorkspaceIntegration } from '../workspace-integration.ts';

type More = Readonly<Record<string, unknown>>;

/** Returns the event of a workspace. */
export function workspaceActivity(
  type: `workspace.${'created' | 'updated' | 'deleted'}`,
  { orgId, id: workspaceId, name, slug }: Pick<Workspace, 'orgId' | 'id' | 'name' | 'slug'>,
  actor: Actor,
  more: More = {},
): NewActivity {
  return { orgId, workspaceId, type, actor, details: { name, slug, ...more } };
}

/** Returns the event of a workspace integration. */
export function workspaceIntegrationActivity(
  type: `workspace_integration.${'added' | 'updated' | 'removed'}`,
  instance: WorkspaceIntegration,
  actor: Actor,
  more: More = {},
): NewActivity {
  const {
    orgId,
    workspaceId,
    id: workspaceIntegrationId,
    integrationName,
    alias,
    displayName,
    connectionStrategy,
    connectionId,
  } = instance;
  const details = { workspaceIntegrationId, alias, displayName, connectionStrategy, connectionId, ...more };
  return { orgId, workspaceId, type, actor, integrationName, details };
}

/** Returns the event of a partial, without the partial's values. */
export function partialActivity(
  type: `partial.${'created' | 'updated' | 'deleted'}`,
  partial: Pick<
    InputPartial,
    'orgId' | 'workspaceId' | 'id' | 'integrationName' | 'workspaceIntegrationId' | 'actionName' | 'name' | 'isDefault'
  >,
  actor: Actor,
  more: More = {},
): NewActivity {
  const { orgId, workspaceId, id: partialId, integrationName, workspaceIntegrationId, actionName, name, isDefault } = partial;
  return {
    orgId,
    workspaceId,
    type,
    actor,
    integrationName,
    actionName,
    details: { partialId, name, workspaceIntegrationId, isDefault, ...more },
  };
}

/** The fields of a connection that its events show. */
export type ShownConnection = Pick<
  Connection,
  'orgId' | 'workspaceId' | 'id' | 'integrationName' | 'externalId' | 'displayName' | 'scope' | 'authMethodKey'
> & {
  /** External id. Undefined if the code that records the event does not know the end user. */
  endUserExternalId?: string | null | undefined;
};

/** Returns the event of a connected account. */
export function connectionActivity(
  type: Extract<ActivityType, `connection.${string}`>,
  connection: ShownConnection,
  actor: Actor,
  more: More = {},
): NewActivity {
  const { orgId, workspaceId, id: connectionId, integrationName, externalId, displayName, scope, authMethodKey } = connection;
  const whose = connection.endUserExternalId === undefined ? {} : { endUserId: connection.endUserExternalId };
  const details = { connectionId, externalId, displayName, scope, authMethodKey, ...whose, ...more };
  return { orgId, workspaceId, type, actor, integrationName, details };
}

/**
 * Returns the event of an end user. `endUserId` is the external id; `endUserUuid` is the id of the
 * record.
 */
export function endUserActivity(
  type: Extract<ActivityType, `end_user.${string}`>,
  { orgId, workspaceId, id: endUserUuid, externalId: endUserId }: Pick<EndUser, 'orgId' | 'workspaceId' | 'id' | 'externalId'>,
  actor: Actor,
  more: More = {},
): NewActivity {
  return { orgId, workspaceId, type, actor, details: { endUserId, endUserUuid, ...more } };
}

/**
 * Returns the event of a connect link, or of an invitation by mail. The details contain neither the
 * link nor the mail address.
 */
export function connectLinkActivity(
  type: 'connect_link.issued' | 'end_user.invited',
  { orgId, workspaceId, integrationName }: { orgId: string; workspaceId: string; integrationName: string | null },
  actor: Actor,
  details: ({ kind: 'portal'; endUserUuid: string } | { kind: 'session'; sessionId: string }) & More,
): NewActivity {
  return { orgId, workspaceId, type, actor, integrationName, details };
}
