import { z } from 'zod';
import { inviteEndUser } from '../../../commands/connect/invite-end-user.ts';
import { issueConnectToken } from '../../../commands/connect/issue-connect-token.ts';
import { createEndUser } from '../../../commands/end-users/create-end-user.ts';
import { deleteEndUser } from '../../../commands/end-users/delete-end-user.ts';
import { assertEndUser, getEndUser } from '../../../commands/end-users/get-end-user.ts';
import { updateEndUser } from '../../../commands/end-users/update-end-user.ts';
import { getWorkspace } from '../../../commands/workspaces/get-workspace.ts';
import { actorOf } from '../../../domain/principal.ts';
import { listEndUsers } from '../../../store/end-users.ts';
import { type Route, route } from '../../route.ts';
import { deleted, idParams } from '../../schemas.ts';
import { presentConnectionSummary, presentConnectToken, presentEndUser } from './present.ts';
import {
  connectionSummary,
  connectToken,
  endUser,
  endUserChanges,
  endUsersQuery,
  newConnectToken,
  newEndUser,
  newInvitation,
} from './schema.ts';

const all = { tag: 'End users', path: '/api/v1/end-users' } as const;
const one = { tag: 'End users', path: '/api/v1/end-users/{id}', params: idParams } as const;

const REVIEWS =
  'If the key holds permissions.approvals.decide and the link is not restricted to an integration, the linked page also shows the approvals that wait for the end user. Give such a link only to this end user, because anyone who opens the link can decide as the end user.';

/** End users (specification 4.3). */
export const endUserRoutes: Route[] = [
  route({
    ...all,
    method: 'get',
    isCompressible: true,
    summary: 'List the end users of a workspace',
    query: endUsersQuery,
    answers: { 200: z.object({ endUsers: z.array(endUser), total: z.int() }) },
    errors: ['NOT_FOUND', 'SCOPE_DENIED'],
    handle: async ({ gateway, principal, query: { workspaceId, ...page } }) => {
      const { orgId, id } = await getWorkspace(gateway, principal, workspaceId);
      const { items, total } = await listEndUsers(gateway.db, { orgId, workspaceId: id }, page);
      return { endUsers: items.map(presentEndUser), total };
    },
  }),
  route({
    ...all,
    method: 'post',
    summary: 'Create an end user',
    body: newEndUser,
    answers: { 201: z.object({ endUser }) },
    errors: ['NOT_FOUND', 'SCOPE_DENIED', 'DUPLICATE'],
    handle: async ({ gateway, principal, body: { displayName = null, email = null, ...fields } }) => {
      return { endUser: presentEndUser(await createEndUser(gateway, principal, { ...fields, displayName, email })) };
    },
  }),
  route({
    ...one,
    method: 'get',
    isCompressible: true,
    summary: 'Get an end user with its connections',
    answers: { 200: z.object({ endUser, connections: z.array(connectionSummary) }) },
    errors: ['NOT_FOUND', 'SCOPE_DENIED'],
    read: ({ lookups }, keyHash, { id }) => lookups.keyAndEndUser(keyHash, id),
    handle: async ({ principal, record }) => {
      const { connections, ...found } = assertEndUser(principal, record);
      return {
        endUser: presentEndUser({ ...found, connectionCount: connections.length }),
        connections: connections.map(presentConnectionSummary),
      };
    },
  }),
  route({
    ...one,
    method: 'patch',
    summary: 'Change an end user; null clears displayName or email, and metadata is replaced as a whole',
    body: endUserChanges,
    answers: { 200: z.object({ endUser }) },
    errors: ['NOT_FOUND', 'SCOPE_DENIED'],
    handle: async ({ gateway, principal, params, body }) => {
      const current = await getEndUser(gateway, principal, params.id);
      return { endUser: presentEndUser(await updateEndUser(gateway, actorOf(principal), current, body)) };
    },
  }),
  route({
    ...one,
    method: 'delete',
    summary: 'Delete an end user with its connections, its tokens and the MCP servers scoped to it',
    answers: { 200: deleted.extend({ connectionsDeleted: z.int() }) },
    errors: ['NOT_FOUND', 'SCOPE_DENIED'],
    handle: async ({ gateway, principal, params }) => {
      const current = await getEndUser(gateway, principal, params.id);
      const connectionsDeleted = await deleteEndUser(gateway, actorOf(principal), current);
      return { deleted: true, id: current.id, connectionsDeleted };
    },
  }),
  route({
    ...one,
    path: `${one.path}/connect-token`,
    method: 'post',
    summary: 'Create a link with which an end user connects accounts',
    description: REVIEWS,
    body: newConnectToken,
    answers: { 200: connectToken },
    errors: ['NOT_FOUND', 'SCOPE_DENIED', 'INTEGRATION_NOT_FOUND'],
    handle: async ({ gateway, principal, params, body }) => {
      const endUser = await getEndUser(gateway, principal, params.id);
      const request = { ...body, endUser, mayReview: principal.mayDecide };
      return presentConnectToken(await issueConnectToken(gateway, request, actorOf(principal)));
    },
  }),
  route({
    ...one,
    path: `${one.path}/invite`,
    method: 'post',
    summary: 'Send an end user a connect link by e-mail',
    description: REVIEWS,
    body: newInvitation,
    answers: { 200: connectToken.extend({ emailSent: z.boolean().describe('whether the mail server accepted the mail') }) },
    errors: ['NOT_FOUND', 'SCOPE_DENIED', 'INTEGRATION_NOT_FOUND', 'EMAIL_NOT_CONFIGURED'],
    handle: async ({ gateway, principal, params, body }) => {
      const endUser = await getEndUser(gateway, principal, params.id);
      const request = { ...body, endUser, mayReview: principal.mayDecide };
      const { emailSent, ...issued } = await inviteEndUser(gateway, actorOf(principal), request);
      return { ...presentConnectToken(issued), emailSent };
    },
  }),
];
