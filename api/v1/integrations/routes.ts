import { z } from 'zod';
import { propertyOptions } from '../../../commands/catalogue/property-options.ts';
import { resolveProperty } from '../../../commands/catalogue/resolve-property.ts';
import type { Gateway } from '../../../commands/gateway.ts';
import { getOwnIntegration, listOwnIntegrations, type OwnIntegration } from '../../../commands/integrations/get-own-integration.ts';
import type { KeyPrincipal } from '../../../domain/principal.ts';
import { noSuchIntegration } from '../../../integrations/catalog.ts';
import { listOauthAppIntegrations } from '../../../store/oauth-apps.ts';
import { listRegisteredIntegrations } from '../../../store/registered-integrations.ts';
import { Answer, type Route, route } from '../../route.ts';
import { notModified } from '../../schemas.ts';
import { catalogText, type TaggedText, tagOf, tagOfPieces, without } from './present.ts';
import { ownFacts, summarizeOwn, writeIntegration } from './present-own.ts';
import {
  catalogAnswer,
  catalogQuery,
  integration,
  oauthStatus,
  oneQuery,
  propertyOptionsAnswer,
  propertyRequest,
  report,
  resolvedPropertyAnswer,
} from './schema.ts';

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
    'ACTION_CHANGED',
    'APPROVAL_POLICY_BLOCKED',
    'ACTION_FAILED',
  ],
} as const;

/** The catalogue (contract decisions 2). */
export const integrationRoutes: Route[] = [
  route({
    ...base,
    method: 'get',
    isCompressible: true,
    access: 'public',
    summary: 'List the integrations of the catalogue, or get an integration by name',
    description: 'Not paged. Large without `summary=true`: keep the `ETag` and send it as `If-None-Match`.',
    query: catalogQuery,
    answers: { 200: catalogAnswer, 304: notModified },
    errors: ['INTEGRATION_NOT_FOUND'],
    handle: async ({ gateway, principal, query: { name, ...query } }) => {
      const { text, tag } =
        name === undefined ? await listText(gateway, principal, query) : await oneText(gateway, principal, name, query.summary);
      return new Answer(200, text, { ETag: `"${tag}"`, 'Cache-Control': 'no-cache', Vary: 'Authorization' });
    },
  }),
  route({
    ...base,
    path: '/api/v1/integrations/oauth-status',
    method: 'get',
    isCompressible: true,
    summary: 'List the integrations for which the organization has an OAuth app',
    answers: { 200: oauthStatus },
    errors: [],
    handle: async ({ gateway, principal }) => ({ configured: await listOauthAppIntegrations(gateway.db, principal.orgId) }),
  }),
  route({
    ...base,
    path: '/api/v1/integrations/{name}',
    method: 'get',
    isCompressible: true,
    access: 'public',
    summary: 'Get an integration with its actions; a custom integration also has the report of its import',
    description: 'Custom integrations need a key. If there are over 200 actions, their schemas are left out: select actions with `action`.',
    params: z.object({ name: z.string().describe('name of the integration') }),
    query: oneQuery,
    answers: { 200: z.object({ integration, report: report.optional() }) },
    errors: ['INTEGRATION_NOT_FOUND', 'ACTION_NOT_FOUND'],
    handle: async ({ gateway, principal, params: { name }, query }) => {
      const builtIn = gateway.catalog.builtIn.find(name);
      if (builtIn && !(await hiddenFor(gateway, principal)).has(name))
        return new Answer(200, ['{"integration":', ...(await writeIntegration(builtIn, {}, query.action)), '}']);
      const own = await getOwn(gateway, principal, name);
      const pieces = await writeIntegration(own.entry, ownFacts(own), query.action);
      return new Answer(200, ['{"integration":', ...pieces, `,"report":${JSON.stringify(own.record.report)}}`]);
    },
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

interface ListQuery {
  summary: boolean;
  custom?: 'true' | 'false' | undefined;
}

async function listText(gateway: Gateway, principal: KeyPrincipal | undefined, { summary, custom }: ListQuery): Promise<TaggedText> {
  const hidden = await hiddenFor(gateway, principal);
  const { list, total } = custom === 'true' ? NOTHING : without(hidden, await catalogText(gateway.catalog.builtIn, summary));
  const own = principal && custom !== 'false' ? await listOwnIntegrations(gateway, principal.orgId) : [];
  const shown = own.map((one) => JSON.stringify(summarizeOwn(one, one.actionCount)));
  const registered = JSON.stringify(principal ? await listRegisteredIntegrations(gateway.db, principal.orgId) : []);
  const entries = [list.text.slice(1, -1), ...shown].filter(Boolean).join(',');
  const text = `{"integrations":[${entries}],"total":${total + own.length},"registered":${registered}}`;
  return { text, tag: [list.tag, ...(own.length > 0 ? [tagOf(shown.join())] : []), tagOf(registered)].join('.') };
}

const NOTHING = { list: { text: '[]', tag: '0' }, total: 0 };

type TaggedPieces = Omit<TaggedText, 'text'> & { text: string | readonly string[] };

async function oneText(gateway: Gateway, principal: KeyPrincipal | undefined, name: string, summary: boolean): Promise<TaggedPieces> {
  const { catalog } = gateway;
  const builtIn = (await catalogText(catalog.builtIn, summary)).byName.get(name);
  if (builtIn && !(await hiddenFor(gateway, principal)).has(name)) return { text: `{"integration":${builtIn.text}}`, tag: builtIn.tag };
  const own = await getOwn(gateway, principal, name);
  const text = summary ? [JSON.stringify(summarizeOwn(own, own.entry.actions.size))] : await writeIntegration(own.entry, ownFacts(own));
  return { text: ['{"integration":', ...text, '}'], tag: await tagOfPieces(text) };
}

async function hiddenFor({ catalog }: Gateway, principal: KeyPrincipal | undefined): Promise<ReadonlySet<string>> {
  return principal ? catalog.hiddenFor(principal.orgId) : new Set();
}

async function getOwn(gateway: Gateway, principal: KeyPrincipal | undefined, name: string): Promise<OwnIntegration> {
  if (!principal) throw noSuchIntegration(name);
  return getOwnIntegration(gateway, principal.orgId, name);
}
