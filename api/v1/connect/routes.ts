import { createConnectSession } from '../../../commands/connect/create-connect-session.ts';
import { getConnectSession, pollConnectSession } from '../../../commands/connect/get-connect-session.ts';
import { getWorkspace } from '../../../commands/workspaces/get-workspace.ts';
import { scopeOf } from '../../../domain/connection-scope.ts';
import { actorOf, assertOrgWide } from '../../../domain/principal.ts';
import { type Route, route } from '../../route.ts';
import { idParams } from '../../schemas.ts';
import { presentConnectOutcome, presentConnectSession, presentConnectSessionToken } from './present.ts';
import { connectOutcome, connectPoll, connectSession, connectSessionToken, newConnectSession } from './schema.ts';

const tag = 'Hosted connect';

/** Hosted connect (contract decisions 2): links that connect one account, and their results. */
export const connectRoutes: Route[] = [
  route({
    tag,
    method: 'post',
    path: '/api/v1/connect/token',
    summary: 'Create a link that connects one account; works once, within an hour; scope ORGANIZATION needs an org-wide key',
    body: newConnectSession,
    example: {
      integrationName: 'slack',
      connectionName: 'Slack of Ada',
      externalId: 'slack-of-ada',
      workspaceId: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
      endUserId: 'user-42',
    },
    answers: { 201: connectSessionToken },
    errors: ['NOT_FOUND', 'SCOPE_DENIED', 'INTEGRATION_NOT_FOUND'],
    handle: async ({ gateway, principal, body }) => {
      const { orgId, id: workspaceId } = await getWorkspace(gateway, principal, body.workspaceId);
      const scope = scopeOf(body, principal);
      if (scope === 'ORGANIZATION') assertOrgWide(principal);
      const opened = await createConnectSession(gateway, actorOf(principal), {
        orgId,
        workspaceId,
        scope,
        integrationName: body.integrationName,
        workspaceIntegrationId: body.workspaceIntegrationId ?? null,
        authMethodKey: body.authMethodKey ?? null,
        externalId: body.externalId,
        connectionName: body.connectionName,
        endUserId: body.endUserId ?? null,
        successRedirectUri: body.successRedirectUri ?? null,
        errorRedirectUri: body.errorRedirectUri ?? null,
      });
      return presentConnectSessionToken(opened);
    },
  }),
  route({
    tag,
    method: 'get',
    path: '/api/v1/connect/session/{id}',
    summary: 'Get a connect session',
    params: idParams,
    answers: { 200: connectSession },
    errors: ['NOT_FOUND', 'SCOPE_DENIED'],
    handle: async ({ gateway, principal, params }) => presentConnectSession(await getConnectSession(gateway, principal, params.id)),
  }),
  route({
    tag,
    method: 'post',
    path: '/api/v1/connect/session/poll',
    summary: 'Get the status of a connect session by its token',
    body: connectPoll,
    answers: { 200: connectOutcome },
    errors: ['NOT_FOUND', 'SCOPE_DENIED'],
    handle: async ({ gateway, principal, body }) => presentConnectOutcome(await pollConnectSession(gateway, principal, body.token)),
  }),
];
