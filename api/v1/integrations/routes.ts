import { z } from 'zod';
import type { Gateway } from '../../../commands/gateway.ts';
import { propertyOptions } from '../../../commands/property-options.ts';
import { resolveProperty } from '../../../commands/resolve-property.ts';
import type { KeyPrincipal } from '../../../domain/principal.ts';
import { listOauthAppIntegrations } from '../../../store/oauth-apps.ts';
import { listRegisteredIntegrations } from '../../../store/registered-integrations.ts';
import { Answer, type Route, route } from '../../route.ts';
import { notModified } from '../../schemas.ts';
import { catalogText, type TaggedText, tagOf } from './present.ts';
import { catalogAnswer, catalogQuery, oauthStatus, propertyOptionsAnswer, propertyRequest, resolvedPropertyAnswer } from './schema.ts';

const base = { tag: 'Catalogue', path: '/api/v1/integrations' } as const;

const property = {
  ...base,
  method: 'post',
  params: z.object({ name: z.string().describe('name of the integration') }),
  body: propertyRequest,
  errors: [
    'NOT_FOUND',
    'SCOPE_DENIED',
    'INTEGRATION_NOT_FOUND',
    'ACTION_NOT_FOUND',
    'CONNECTION_NOT_FOUND',
    'AMBIGUOUS_INTEGRATION',
    'ACTION_NOT_ALLOWED',
    'ACTION_FAILED',
  ],
} as const;

/** The catalogue (decisions section 2). */
export const integrationRoutes: Route[] = [
  route({
    ...base,
    method: 'get',
    access: 'public',
    summary: 'List the integrations of the catalogue, or get one by name',
    description: 'Not paged. Large without `summary=true`: keep the `ETag` and send it as `If-None-Match`.',
    query: catalogQuery,
    answers: { 200: catalogAnswer, 304: notModified },
    errors: ['INTEGRATION_NOT_FOUND'],
    handle: async ({ gateway, principal, query: { summary, name } }) => {
      const { text, tag } = name === undefined ? await listText(gateway, principal, summary) : oneText(gateway, name, summary);
      return new Answer(200, text, { ETag: `"${tag}"`, 'Cache-Control': 'no-cache', Vary: 'Authorization' });
    },
  }),
  route({
    ...base,
    path: '/api/v1/integrations/oauth-status',
    method: 'get',
    summary: 'Say which integrations the organization has an OAuth app for',
    answers: { 200: oauthStatus },
    errors: [],
    handle: async ({ gateway, principal }) => ({ configured: await listOauthAppIntegrations(gateway.db, principal.orgId) }),
  }),
  route({
    ...property,
    path: '/api/v1/integrations/{name}/properties/options',
    summary: 'List the choices of an input',
    answers: { 200: propertyOptionsAnswer },
    handle: ({ gateway, principal, params, body }) => propertyOptions(gateway, principal, { ...body, integrationName: params.name }),
  }),
  route({
    ...property,
    path: '/api/v1/integrations/{name}/properties/resolve',
    summary: 'Get the schema of an input whose fields depend on the account and on other inputs',
    answers: { 200: resolvedPropertyAnswer },
    handle: ({ gateway, principal, params, body }) => resolveProperty(gateway, principal, { ...body, integrationName: params.name }),
  }),
];

async function listText({ catalog, db }: Gateway, principal: KeyPrincipal | undefined, summary: boolean): Promise<TaggedText> {
  const { list, total } = catalogText(catalog, summary);
  const registered = JSON.stringify(principal ? await listRegisteredIntegrations(db, principal.orgId) : []);
  const text = `{"integrations":${list.text},"total":${total},"registered":${registered}}`;
  return { text, tag: `${list.tag}.${tagOf(registered)}` };
}

function oneText({ catalog }: Gateway, name: string, summary: boolean): TaggedText {
  const { text, tag } = catalogText(catalog, summary).byName.get(catalog.get(name).name)!;
  return { text: `{"integration":${text}}`, tag };
}
