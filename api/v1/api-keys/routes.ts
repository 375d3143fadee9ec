import { z } from 'zod';
import { deleteApiKey } from '../../../commands/access/delete-api-key.ts';
import { grantApiKey } from '../../../commands/access/grant-api-key.ts';
import { assertOrgWide } from '../../../domain/principal.ts';
import { listApiKeys } from '../../../store/api-keys.ts';
import { type Route, route } from '../../route.ts';
import { deleted, idParams } from '../../schemas.ts';
import { presentApiKey } from './present.ts';
import { apiKey, newApiKey } from './schema.ts';

const base = { tag: 'API keys', path: '/api/v1/api-keys' } as const;

/** API keys (specification 4.1). */
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
      const request = { name, permissions, expiresAt: expiresAt === undefined ? null : new Date(expiresAt) };
      const created = await grantApiKey(gateway, principal, request);
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
