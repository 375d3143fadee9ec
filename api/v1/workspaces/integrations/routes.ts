import { z } from 'zod';
import { addWorkspaceIntegration } from '../../../../commands/workspace-integrations/add-workspace-integration.ts';
import { removeWorkspaceIntegration } from '../../../../commands/workspace-integrations/remove-workspace-integration.ts';
import { updateWorkspaceIntegration } from '../../../../commands/workspace-integrations/update-workspace-integration.ts';
import { getWorkspace } from '../../../../commands/workspaces/get-workspace.ts';
import { GatewayError } from '../../../../domain/errors.ts';
import { actorOf } from '../../../../domain/principal.ts';
import { listConnections } from '../../../../store/connections.ts';
import { listWorkspaceIntegrations } from '../../../../store/workspace-integrations.ts';
import { type Route, route } from '../../../route.ts';
import { deleted, uuid } from '../../../schemas.ts';
import { presentListedIntegration, presentWorkspaceIntegration } from './present.ts';
import { listedWorkspaceIntegration, newWorkspaceIntegration, workspaceIntegration, workspaceIntegrationChanges } from './schema.ts';

const all = {
  tag: 'Workspace integrations',
  path: '/api/v1/workspaces/{workspaceId}/integrations',
  params: z.object({ workspaceId: uuid }),
} as const;
const one = { ...all, path: `${all.path}/{id}`, params: z.object({ workspaceId: uuid, id: uuid }) } as const;

/** Workspace integrations (specification 4.6). */
export const workspaceIntegrationRoutes: Route[] = [
  route({
    ...all,
    method: 'get',
    isCompressible: true,
    summary: "List a workspace's integrations",
    answers: { 200: z.object({ integrations: z.array(listedWorkspaceIntegration), total: z.int() }) },
    errors: ['NOT_FOUND', 'SCOPE_DENIED'],
    handle: async ({ gateway, principal, params }) => {
      const { orgId, id } = await getWorkspace(gateway, principal, params.workspaceId);
      const instances = await listWorkspaceIntegrations(gateway.db, orgId, id);
      const connections = await listConnections(
        gateway.db,
        orgId,
        instances.flatMap((instance) => instance.connectionId ?? []),
      );
      const byId = new Map(connections.map((connection) => [connection.id, connection]));
      return {
        integrations: instances.map((instance) => presentListedIntegration(instance, byId.get(instance.connectionId ?? ''))),
        total: instances.length,
      };
    },
  }),
  route({
    ...all,
    method: 'post',
    summary: "Add an integration to a workspace; its tools appear on the workspace's MCP servers",
    body: newWorkspaceIntegration,
    answers: { 201: z.object({ integration: workspaceIntegration }) },
    errors: [
      'NOT_FOUND',
      'SCOPE_DENIED',
      'INTEGRATION_NOT_FOUND',
      'CONNECTION_NOT_FOUND',
      'DUPLICATE',
      'ALIAS_CONFLICT',
      'MCP_BEARER_BLOCKS_PER_USER',
    ],
    handle: async ({ gateway, principal, params, body }) => {
      const { orgId, id } = await getWorkspace(gateway, principal, params.workspaceId);
      const added = await addWorkspaceIntegration(gateway, actorOf(principal), {
        orgId,
        workspaceId: id,
        integrationName: body.integrationName,
        alias: body.alias ?? body.integrationName,
        displayName: body.displayName ?? null,
        connectionStrategy: body.connectionStrategy,
        connectionId: body.connectionId ?? null,
        enabledActions: body.enabledActions ?? null,
        settings: body.settings,
        sortOrder: body.sortOrder,
      });
      return { integration: presentWorkspaceIntegration(added) };
    },
  }),
  route({
    ...one,
    method: 'patch',
    summary: 'Change a workspace integration and its tools',
    body: workspaceIntegrationChanges,
    answers: { 200: z.object({ integration: workspaceIntegration }) },
    errors: [
      'NO_UPDATES',
      'NOT_FOUND',
      'SCOPE_DENIED',
      'CONNECTION_NOT_FOUND',
      'DUPLICATE',
      'ALIAS_CONFLICT',
      'MCP_BEARER_BLOCKS_PER_USER',
    ],
    handle: async ({ gateway, principal, params, body = {} }) => {
      if (Object.keys(body).length === 0) throw new GatewayError('NO_UPDATES', 'Provide at least one field to change.');
      const { orgId, id: workspaceId } = await getWorkspace(gateway, principal, params.workspaceId);
      const { settings, ...changes } = body;
      const updated = await updateWorkspaceIntegration(
        gateway,
        actorOf(principal),
        { orgId, workspaceId, id: params.id },
        { ...changes, ...(settings !== undefined && { settings: settings ?? {} }) },
      );
      return { integration: presentWorkspaceIntegration(updated) };
    },
  }),
  route({
    ...one,
    method: 'delete',
    summary: 'Remove an integration and its synced tools',
    answers: { 200: deleted },
    errors: ['NOT_FOUND', 'SCOPE_DENIED'],
    handle: async ({ gateway, principal, params }) => {
      const { orgId, id: workspaceId } = await getWorkspace(gateway, principal, params.workspaceId);
      await removeWorkspaceIntegration(gateway, actorOf(principal), { orgId, workspaceId, id: params.id });
      return { deleted: true, id: params.id };
    },
  }),
];
