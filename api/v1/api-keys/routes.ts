import { z } from 'zod';
import { createApiKey } from '../../../commands/access/create-api-key.ts';
import { deleteApiKey } from '../../../commands/access/delete-api-key.ts';
import type { Gateway } from '../../../commands/gateway.ts';
import { GatewayError } from '../../../domain/errors.ts';
import { assertMayDecide, assertOrgWide } from '../../../domain/principal.ts';
import { listApiKeys } from '../../../store/api-keys.ts';
import { listKnownWorkspaceIds } from '../../../store/workspaces.ts';
import { type Route, route } from '../../route.ts';
import { deleted, idParams } from '../../schemas.ts';
import { presentApiKey } from './present.ts';
import { apiKey, newApiKey } from './schema.ts';

const base = { tag: 'API keys', path: '/api/v1/api-keys' } as const;

/** API keys (specification 4.1). Managing them needs an org-wide key. */
export const apiKeyRoutes: Route[] = [
  route({
    ...base,
    method: 'post',
    summary: 'Create an API key; the plain key is in this answer only',
    body: newApiKey,
    example: { name: 'Billing backend', permissions: { scope: 'workspace', workspaceIds: ['7c9e6679-7425-40de-944b-e07fc1f90ae7'] } },
    answers: { 200: z.object({ apiKey, plainKey: z.string() }) },
    errors: ['NOT_FOUND', 'SCOPE_DENIED', 'APPROVAL_DECISION_SCOPE_REQUIRED'],
    handle: async ({ gateway, principal, body: { name, permissions, expiresAt } }) => {
      await assertOwnWorkspaces(gateway, principal.orgId, permissions.workspaceIds ?? []);
      assertOrgWide(principal);
      if (permissions.approvals?.decide) assertMayDecide(principal);
      const created = await createApiKey(gateway, {
        orgId: principal.orgId,
        name,
        permissions,
        expiresAt: expiresAt === undefined ? null : new Date(expiresAt),
      });
      return { apiKey: presentApiKey(created.apiKey), plainKey: created.plainKey };
    },
  }),
  route({
    ...base,
    method: 'get',
    summary: 'List API keys',
    answers: { 200: z.object({ apiKeys: z.array(apiKey), total: z.int() }) },
    errors: ['SCOPE_DENIED'],
    handle: async ({ gateway, principal }) => {
      assertOrgWide(principal);
      const keys = await listApiKeys(gateway.db, principal.orgId);
      return { apiKeys: keys.map(presentApiKey), total: keys.length };
    },
  }),
  route({
    ...base,
    path: '/api/v1/api-keys/{id}',
    method: 'delete',
    summary: 'Revoke an API key; its next request is refused',
    params: idParams,
    answers: { 200: deleted },
    errors: ['NOT_FOUND', 'SCOPE_DENIED'],
    handle: async ({ gateway, principal, params: { id } }) => {
      await deleteApiKey(gateway, principal, id);
      return { deleted: true, id };
    },
  }),
];

async function assertOwnWorkspaces(gateway: Gateway, orgId: string, ids: readonly string[]): Promise<void> {
  const known = new Set(await listKnownWorkspaceIds(gateway.db, orgId, ids));
  const unknown = ids.filter((id) => !known.has(id));
  if (unknown.length > 0) throw new GatewayError('NOT_FOUND', 'There is no such workspace.', { workspaceIds: unknown });
}
