import { z } from 'zod';
import { createPartial } from '../../../commands/partials/create-partial.ts';
import { deletePartial } from '../../../commands/partials/delete-partial.ts';
import { getPartial } from '../../../commands/partials/get-partial.ts';
import { updatePartial } from '../../../commands/partials/update-partial.ts';
import { getWorkspace } from '../../../commands/workspaces/get-workspace.ts';
import { actorOf } from '../../../domain/principal.ts';
import { listPartials } from '../../../store/partials.ts';
import { type Route, route } from '../../route.ts';
import { deleted, idParams } from '../../schemas.ts';
import { presentPartial } from './present.ts';
import { newPartial, partial, partialChanges, partialDefault, partialsQuery } from './schema.ts';

const all = { tag: 'Partials', path: '/api/v1/partials' } as const;
const one = { tag: 'Partials', path: '/api/v1/partials/{id}', params: idParams, notFound: 'PARTIAL_NOT_FOUND' } as const;
const onePartial = z.object({ partial });

/** Partials (contract decisions 2): preset inputs for the actions of an integration. */
export const partialRoutes: Route[] = [
  route({
    ...all,
    method: 'get',
    summary: 'List partials',
    query: partialsQuery,
    answers: { 200: z.object({ partials: z.array(partial), total: z.int() }) },
    errors: ['NOT_FOUND', 'SCOPE_DENIED'],
    handle: async ({ gateway, principal, query: { workspaceId, limit, offset, ...filter } }) => {
      const reached = principal.workspaceIds === 'all' ? undefined : principal.workspaceIds;
      const workspaceIds = workspaceId === undefined ? reached : [(await getWorkspace(gateway, principal, workspaceId)).id];
      const { items, total } = await listPartials(gateway.db, { ...filter, orgId: principal.orgId, workspaceIds }, { limit, offset });
      return { partials: items.map(presentPartial), total };
    },
  }),
  route({
    ...all,
    method: 'post',
    summary: 'Create a partial',
    body: newPartial,
    answers: { 201: onePartial },
    errors: ['NOT_FOUND', 'SCOPE_DENIED', 'INTEGRATION_NOT_FOUND', 'ACTION_NOT_FOUND', 'TRIGGER_NOT_FOUND', 'DUPLICATE', 'QUOTA_EXCEEDED'],
    handle: async ({ gateway, principal, body }) => {
      const { orgId } = await getWorkspace(gateway, principal, body.workspaceId);
      const { actionName = null, triggerName = null, description = null } = body;
      return {
        partial: presentPartial(await createPartial(gateway, actorOf(principal), { ...body, orgId, actionName, triggerName, description })),
      };
    },
  }),
  route({
    ...one,
    method: 'get',
    summary: 'Get a partial',
    answers: { 200: onePartial },
    errors: ['PARTIAL_NOT_FOUND', 'SCOPE_DENIED'],
    handle: async ({ gateway, principal, params }) => ({ partial: presentPartial(await getPartial(gateway, principal, params.id)) }),
  }),
  route({
    ...one,
    method: 'patch',
    summary: 'Change a partial',
    body: partialChanges,
    answers: { 200: onePartial },
    errors: ['PARTIAL_NOT_FOUND', 'SCOPE_DENIED', 'DUPLICATE', 'QUOTA_EXCEEDED'],
    handle: async ({ gateway, principal, params, body }) => {
      const current = await getPartial(gateway, principal, params.id);
      return { partial: presentPartial(await updatePartial(gateway, actorOf(principal), current, body)) };
    },
  }),
  route({
    ...one,
    method: 'delete',
    summary: 'Delete a partial; tools that name it fail until they are changed',
    answers: { 200: deleted },
    errors: ['PARTIAL_NOT_FOUND', 'SCOPE_DENIED'],
    handle: async ({ gateway, principal, params }) => {
      await deletePartial(gateway, actorOf(principal), await getPartial(gateway, principal, params.id));
      return { deleted: true, id: params.id };
    },
  }),
  route({
    ...one,
    path: '/api/v1/partials/{id}/set-default',
    method: 'post',
    summary: 'Make a partial the default of its target, or no longer the default',
    body: partialDefault,
    answers: { 200: onePartial },
    errors: ['PARTIAL_NOT_FOUND', 'SCOPE_DENIED'],
    handle: async ({ gateway, principal, params, body }) => {
      const current = await getPartial(gateway, principal, params.id);
      return { partial: presentPartial(await updatePartial(gateway, actorOf(principal), current, body)) };
    },
  }),
];
