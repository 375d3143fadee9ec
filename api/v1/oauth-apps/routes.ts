import { z } from 'zod';
import { createOauthApp } from '../../../commands/connections/create-oauth-app.ts';
import { deleteOauthApp } from '../../../commands/connections/delete-oauth-app.ts';
import { actorOf, assertOrgWide } from '../../../domain/principal.ts';
import { listOauthApps } from '../../../store/oauth-apps.ts';
import { type Route, route } from '../../route.ts';
import { deleted, idParams, page } from '../../schemas.ts';
import { presentOauthApp } from './present.ts';
import { newOauthApp, oauthApp } from './schema.ts';

const base = { tag: 'OAuth apps', path: '/api/v1/oauth-apps' } as const;

/** OAuth apps of the organization (contract decisions 2, Hosted connect). */
export const oauthAppRoutes: Route[] = [
  route({
    ...base,
    method: 'get',
    isCompressible: true,
    summary: 'List OAuth apps, without their secrets',
    query: page,
    answers: { 200: z.object({ oauthApps: z.array(oauthApp), total: z.int() }) },
    errors: ['SCOPE_DENIED'],
    handle: async ({ gateway, principal, query }) => {
      assertOrgWide(principal);
      const { items, total } = await listOauthApps(gateway.db, principal.orgId, query);
      return { oauthApps: items.map((app) => presentOauthApp(gateway.config, app)), total };
    },
  }),
  route({
    ...base,
    method: 'post',
    summary: 'Configure the OAuth app of an integration; one per integration',
    body: newOauthApp,
    answers: { 201: z.object({ oauthApp }) },
    errors: ['INTEGRATION_NOT_FOUND', 'SCOPE_DENIED', 'DUPLICATE'],
    handle: async ({ gateway, principal, body }) => {
      await gateway.catalog.get(principal.orgId, body.integrationName);
      assertOrgWide(principal);
      const created = await createOauthApp(gateway, actorOf(principal), {
        ...body,
        orgId: principal.orgId,
        displayName: body.displayName ?? null,
      });
      return { oauthApp: presentOauthApp(gateway.config, created) };
    },
  }),
  route({
    ...base,
    path: '/api/v1/oauth-apps/{id}',
    method: 'delete',
    summary: 'Remove an OAuth app. Accounts stay connected until their access must be refreshed',
    params: idParams,
    answers: { 200: deleted },
    errors: ['NOT_FOUND', 'SCOPE_DENIED'],
    handle: async ({ gateway, principal, params: { id } }) => {
      await deleteOauthApp(gateway, principal, id);
      return { deleted: true, id };
    },
  }),
];
