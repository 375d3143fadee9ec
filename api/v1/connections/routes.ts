import { z } from 'zod';
import { createConnection } from '../../../commands/connections/create-connection.ts';
import { deleteConnection } from '../../../commands/connections/delete-connection.ts';
import { getConnection } from '../../../commands/connections/get-connection.ts';
import { resolveNamedConnection } from '../../../commands/connections/resolve-named-connection.ts';
import { getWorkspace } from '../../../commands/workspaces/get-workspace.ts';
import { scopeOf } from '../../../domain/connection-scope.ts';
import { actorOf, assertOrgWide } from '../../../domain/principal.ts';
import { pageConnections } from '../../../store/connections.ts';
import { found, type Route, route } from '../../route.ts';
import { deleted, idParams, uuid } from '../../schemas.ts';
import { credentialsOf, expiryOf } from './credentials.ts';
import { presentConnection } from './present.ts';
import { connectionAnswer, connectionPage, connectionQuery, newConnection, resolution } from './schema.ts';

const all = { tag: 'Connections', path: '/api/v1/connections' } as const;

/** Connections: accounts at third parties (contract decisions 2). */
export const connectionRoutes: Route[] = [
  route({
    ...all,
    method: 'get',
    isCompressible: true,
    summary:
      'List connections, or get one by id. A workspace key reads organization-wide connections and the connections of its workspaces',
    query: connectionQuery,
    answers: { 200: z.union([connectionAnswer, connectionPage]) },
    errors: ['CONNECTION_NOT_FOUND', 'NOT_FOUND', 'SCOPE_DENIED'],
    handle: async ({ gateway, principal, query: { id, workspaceId, endUserId, integrationName, ...page } }) => {
      if (id !== undefined) {
        const known = found(uuid.safeParse(id).data, 'CONNECTION_NOT_FOUND', 'connection');
        return { connection: presentConnection(await getConnection(gateway, principal, known)) };
      }
      const { orgId, workspaceIds: reach } = principal;
      const workspaceIds = workspaceId === undefined ? reach : [(await getWorkspace(gateway, principal, workspaceId)).id];
      const filter = { orgId, endUserExternalId: endUserId, integrationName, ...(workspaceIds !== 'all' && { workspaceIds }) };
      const { items, total } = await pageConnections(gateway.db, filter, page);
      return { connections: items.map(presentConnection), total };
    },
  }),
  route({
    ...all,
    method: 'post',
    summary: "Connect an account. Its credentials must match the integration's auth and are stored encrypted",
    body: newConnection,
    example: {
      integrationName: 'slack',
      externalId: 'our-slack',
      displayName: 'Our Slack',
      type: 'SECRET_TEXT',
      secretText: 'xoxb-your-token',
    },
    otherExamples: {
      'The account of one end user': {
        integrationName: 'slack',
        externalId: 'slack-of-ada',
        displayName: 'Slack of Ada',
        workspaceId: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
        endUserId: 'user-42',
        type: 'SECRET_TEXT',
        secretText: 'xoxb-your-token',
      },
    },
    answers: { 201: connectionAnswer },
    errors: ['INTEGRATION_NOT_FOUND', 'NOT_FOUND', 'SCOPE_DENIED', 'DUPLICATE'],
    handle: async ({ gateway, principal, body }) => {
      const { orgId } = principal;
      if (body.workspaceId !== undefined) await getWorkspace(gateway, principal, body.workspaceId);
      await gateway.catalog.get(orgId, body.integrationName);
      const scope = scopeOf(body, principal);
      if (scope === 'ORGANIZATION') assertOrgWide(principal);
      const connection = await createConnection(gateway, {
        orgId,
        by: actorOf(principal),
        scope,
        workspaceId: body.workspaceId ?? null,
        endUserExternalId: body.endUserId ?? null,
        integrationName: body.integrationName,
        externalId: body.externalId,
        displayName: body.displayName ?? body.externalId,
        authMethodKey: body.authMethodKey,
        workspaceIntegrationId: body.workspaceIntegrationId,
        credentials: credentialsOf(body),
        expiresAt: expiryOf(body, new Date()),
      });
      return { connection: presentConnection(connection) };
    },
  }),
  route({
    ...all,
    path: '/api/v1/connections/resolve',
    method: 'post',
    summary: 'Resolve the connection that a call would use',
    body: resolution,
    answers: { 200: connectionAnswer },
    errors: ['CONNECTION_NOT_FOUND', 'INTEGRATION_NOT_FOUND', 'NOT_FOUND', 'SCOPE_DENIED', 'AMBIGUOUS_INTEGRATION'],
    handle: async ({ gateway, principal, body }) => {
      const { orgId, workspaceIds } = principal;
      if (body.workspaceId !== undefined) await getWorkspace(gateway, principal, body.workspaceId);
      else if (workspaceIds.length === 0) assertOrgWide(principal);
      return { connection: presentConnection(await resolveNamedConnection(gateway, { orgId, ...body })) };
    },
  }),
  route({
    ...all,
    path: '/api/v1/connections/{id}',
    method: 'delete',
    params: idParams,
    notFound: 'CONNECTION_NOT_FOUND',
    summary: 'Delete a connection. Workspace integrations lose it, and its pending approvals are canceled',
    answers: { 200: deleted },
    errors: ['CONNECTION_NOT_FOUND', 'SCOPE_DENIED'],
    handle: async ({ gateway, principal, params }) => {
      await deleteConnection(gateway, principal, params.id);
      return { deleted: true, id: params.id };
    },
  }),
];
