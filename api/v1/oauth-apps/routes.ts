import { z } from 'zod';
import { createOauthApp } from '../../../commands/create-oauth-app.ts';
import { assertOrgWide } from '../../../domain/principal.ts';
import { deleteOauthApp, findOauthAppById, listOauthApps } from '../../../store/oauth-apps.ts';
import { found, notFound, type Route, route } from '../../route.ts';
import { deleted, idParams, page } from '../../schemas.ts';
import { presentOauthApp } from './present.ts';
import { newOauthApp, oauthApp } from './schema.ts';

const base = { tag: 'OAuth apps', path: '/api/v1/oauth-apps' } as const;

/** The organization's own OAuth apps (decisions section 2, Hosted connect). Managing them needs an org-wide key. */
export const oauthAppRoutes: Route[] = [
  route({
    ...base,
    method: 'get',
    summary: 'List OAuth apps, without their secrets',
    query: page,
    answers: { 200: z.object({ oauthApps: z.array(oauthApp), total: z.int() }) },
    errors: ['SCOPE_DENIED'],
    handle: async ({ gateway, principal, query }) => {
      assertOrgWide(principal);
      const { items, total } = await listOauthApps(gateway.db, principal.orgId, query);
      return { oauthApps: items.map(presentOauthApp), total };
    },
  }),
  route({
    ...base,
    method: 'post',
    summary: 'Configure the OAuth app that consent for an integration is asked with; one an integration',
    body: newOauthApp,
    answers: { 201: z.object({ oauthApp }) },
    errors: ['INTEGRATION_NOT_FOUND', 'SCOPE_DENIED', 'DUPLICATE'],
    handle: async ({ gateway, principal, body }) => {
      gateway.catalog.get(body.integrationName);
      assertOrgWide(principal);
      const created = await createOauthApp(gateway, { ...body, orgId: principal.orgId, displayName: body.displayName ?? null });
      return { oauthApp: presentOauthApp(created) };
    },
  }),
  route({
    ...base,
    path: '/api/v1/oauth-apps/{id}',
    method: 'delete',
    summary: 'Remove an OAuth app; accounts connected with it stay connected until their access must be renewed',
    params: idParams,
    answers: { 200: deleted },
    errors: ['NOT_FOUND', 'SCOPE_DENIED'],
    handle: async ({ gateway, principal, params: { id } }) => {
      found(await findOauthAppById(gateway.db, principal.orgId, id), 'NOT_FOUND', 'OAuth app');
      assertOrgWide(principal);
      if (!(await deleteOauthApp(gateway.db, principal.orgId, id))) throw notFound('NOT_FOUND', 'OAuth app');
      return { deleted: true, id };
    },
  }),
];
