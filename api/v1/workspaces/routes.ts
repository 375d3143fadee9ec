import { z } from 'zod';
import { createWorkspace } from '../../../commands/workspaces/create-workspace.ts';
import { deleteWorkspace } from '../../../commands/workspaces/delete-workspace.ts';
import { enterWorkspace, getWorkspace } from '../../../commands/workspaces/get-workspace.ts';
import { renameWorkspace } from '../../../commands/workspaces/rename-workspace.ts';
import { actorOf, assertOrgWide } from '../../../domain/principal.ts';
import { listWorkspaces } from '../../../store/workspaces.ts';
import { type Route, route } from '../../route.ts';
import { deleted, idParams, page } from '../../schemas.ts';
import { presentWorkspace } from './present.ts';
import { newWorkspace, workspace, workspaceChanges } from './schema.ts';

const base = { tag: 'Workspaces', path: '/api/v1/workspaces' } as const;
const one = { tag: 'Workspaces', path: '/api/v1/workspaces/{id}', params: idParams } as const;

/** Workspaces (contract decisions 2). */
export const workspaceRoutes: Route[] = [
  route({
    ...base,
    method: 'get',
    isCompressible: true,
    summary: 'List workspaces',
    query: page,
    answers: { 200: z.object({ workspaces: z.array(workspace), total: z.int() }) },
    errors: [],
    handle: async ({ gateway, principal, query }) => {
      const { orgId, workspaceIds } = principal;
      const { items, total } = await listWorkspaces(gateway.db, { orgId, ...(workspaceIds !== 'all' && { ids: workspaceIds }) }, query);
      return { workspaces: items.map(presentWorkspace), total };
    },
  }),
  route({
    ...base,
    method: 'post',
    summary: 'Create a workspace',
    body: newWorkspace,
    answers: { 201: z.object({ workspace }) },
    errors: ['SCOPE_DENIED', 'DUPLICATE'],
    handle: async ({ gateway, principal, body }) => {
      assertOrgWide(principal);
      return { workspace: presentWorkspace(await createWorkspace(gateway, actorOf(principal), { orgId: principal.orgId, ...body })) };
    },
  }),
  route({
    ...one,
    method: 'get',
    isCompressible: true,
    summary: 'Get a workspace',
    answers: { 200: z.object({ workspace }) },
    errors: ['NOT_FOUND', 'SCOPE_DENIED'],
    read: ({ lookups }, keyHash, { id }) => lookups.keyAndWorkspace(keyHash, id),
    handle: async ({ principal, record }) => ({ workspace: presentWorkspace(enterWorkspace(principal, record)) }),
  }),
  route({
    ...one,
    method: 'patch',
    summary: 'Rename a workspace',
    body: workspaceChanges,
    answers: { 200: z.object({ workspace }) },
    errors: ['NOT_FOUND', 'SCOPE_DENIED', 'DUPLICATE'],
    handle: async ({ gateway, principal, params, body }) => {
      const { id } = await getWorkspace(gateway, principal, params.id);
      return { workspace: presentWorkspace(await renameWorkspace(gateway, actorOf(principal), { orgId: principal.orgId, id, ...body })) };
    },
  }),
  route({
    ...one,
    method: 'delete',
    summary:
      'Delete a workspace and everything in it. Cancels its pending approvals and keeps the history. If the workspace has policies or pending approvals, a workspace key needs approvals.decide',
    answers: { 200: deleted },
    errors: ['NOT_FOUND', 'SCOPE_DENIED', 'APPROVAL_DECISION_SCOPE_REQUIRED'],
    handle: async ({ gateway, principal, params }) => {
      const { id } = await getWorkspace(gateway, principal, params.id);
      await deleteWorkspace(gateway, principal, id);
      return { deleted: true, id };
    },
  }),
];
