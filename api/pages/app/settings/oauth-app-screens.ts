import { asksConsent, createOauthApp } from '../../../../commands/connections/create-oauth-app.ts';
import { deleteOauthApp } from '../../../../commands/connections/delete-oauth-app.ts';
import { redirectUriOf } from '../../../../commands/connections/redirect-uri.ts';
import { listOwnIntegrations } from '../../../../commands/integrations/get-own-integration.ts';
import { hasRole } from '../../../../domain/member.ts';
import type { OauthApp } from '../../../../domain/oauth-app.ts';
import { actorOf } from '../../../../domain/principal.ts';
import { findOauthAppById, listOauthApps } from '../../../../store/oauth-apps.ts';
import { found } from '../../../route.ts';
import { uuid } from '../../../schemas.ts';
import { newOauthApp } from '../../../v1/oauth-apps/schema.ts';
import { confirmPage } from '../confirm-page.ts';
import { consequencesOf } from '../consequences.ts';
import { type FormSpec, formPage, formView, submitForm } from '../form.ts';
import { type Cell, listView, nextPageOf, pageOf, timeCell } from '../list.ts';
import type { Screen, Visit } from '../screen.ts';

const BASE = '/settings/oauth-apps';

/** Screens that list, create and delete OAuth apps. No screen shows a client secret. */
export const oauthAppScreens: readonly Screen[] = [
  {
    ...{ path: BASE, role: 'viewer', navigation: 'Settings', settings: 'OAuth apps' },
    get: async (visit) => {
      const { gateway, member } = visit;
      const page = pageOf(visit.query);
      const [{ items, total }, names] = await Promise.all([listOauthApps(gateway.db, member.orgId, page), consentIntegrations(visit)]);
      const mayManage = hasRole(member.role, 'admin');
      const list = listView(visit, {
        ...{ name: 'OAuth apps', plural: 'OAuth apps', about: 'With an OAuth app, people connect accounts by consent.' },
        columns: ['Integration', 'Client id', 'Redirect address', 'Created', ...(mayManage ? ['Actions'] : [])],
        rows: items.map((app) => rowOf(visit, app, names.get(app.integrationName) ?? app.integrationName, mayManage)),
        create: mayManage ? { href: `${BASE}#new`, label: 'New OAuth app' } : undefined,
        nextPage: nextPageOf(page, total),
      });
      const spec = mayManage ? newSpec(visit, names) : undefined;
      const added = spec && { ...spec.data, form: formView({ ...spec, cancel: undefined }) };
      return { title: 'Settings', template: 'settings/oauth-apps', data: { list, added, base: BASE } };
    },
  },
  {
    ...{ path: `${BASE}/new`, role: 'admin', navigation: 'Settings' },
    get: async (visit) => formPage(newSpec(visit, await consentIntegrations(visit))),
    post: async (visit) => {
      const names = await consentIntegrations(visit);
      return submitForm(newSpec(visit, names), newOauthApp, visit.form, async (fields) => {
        const { gateway, member, principal } = visit;
        const app = { ...fields, orgId: member.orgId, displayName: null };
        const { integrationName } = await createOauthApp(gateway, actorOf(principal), app);
        return { seeOther: BASE, done: `The OAuth app of ${names.get(integrationName) ?? integrationName} is created.` };
      });
    },
  },
  {
    ...{ path: `${BASE}/{id}/delete`, role: 'admin', navigation: 'Settings' },
    get: async (visit) => {
      const { id, integration } = await getApp(visit);
      const consequences = await consequencesOf(visit, 'oauthApp', id);
      return confirmPage({ question: `Delete the OAuth app of ${integration}?`, consequences, button: 'Delete OAuth app', back: BASE });
    },
    post: async (visit) => {
      const { id, integration } = await getApp(visit);
      await deleteOauthApp(visit.gateway, visit.principal, id);
      return { seeOther: BASE, done: `The OAuth app of ${integration} is deleted.` };
    },
  },
];

async function getApp(visit: Visit): Promise<{ id: string; integration: string }> {
  const { gateway, member, params } = visit;
  const id = uuid.safeParse(params.id);
  const { id: appId, integrationName } = found(id.success ? await findOauthAppById(gateway.db, member.orgId, id.data) : undefined);
  return { id: appId, integration: (await consentIntegrations(visit)).get(integrationName) ?? integrationName };
}

async function consentIntegrations({ gateway, member }: Visit): Promise<Map<string, string>> {
  const own = (await listOwnIntegrations(gateway, member.orgId)).map(({ entry }) => entry);
  const all = [...own, ...gateway.catalog.builtIn.list()].filter(({ auth }) => auth?.some(asksConsent));
  return new Map(all.map(({ name, displayName }) => [name, displayName]));
}

function rowOf({ gateway }: Visit, app: OauthApp, integration: string, mayManage: boolean): Cell[] {
  const { id, integrationName, clientId, createdAt } = app;
  const cells: Cell[] = [
    { href: `/integrations/${integrationName}`, text: integration },
    clientId,
    redirectUriOf(gateway.config, app),
    timeCell(createdAt),
  ];
  return mayManage
    ? [...cells, { buttons: [{ label: 'Delete', about: `The OAuth app of ${integration}`, href: `${BASE}/${id}/delete` }] }]
    : cells;
}

function newSpec(visit: Visit, integrations: ReadonlyMap<string, string>): FormSpec {
  const options = [...integrations].map(([value, label]) => ({ value, label }));
  return {
    ...{ title: 'New OAuth app', template: 'settings/new-oauth-app' },
    data: { redirectUri: redirectUriOf(visit.gateway.config, { callbackId: null }) },
    fields: [
      { name: 'integrationName', label: 'Integration', kind: 'select', options, value: visit.query.get('integration') ?? '' },
      { name: 'clientId', label: 'Client id', kind: 'text', maxLength: 2000, autocomplete: 'off' },
      {
        ...{ name: 'clientSecret', label: 'Client secret', kind: 'password', maxLength: 2000, autocomplete: 'off' },
        hint: 'Stored encrypted, never shown again.',
      },
    ],
    button: 'Create OAuth app',
    cancel: BASE,
    blames: {
      DUPLICATE: { field: 'integrationName', problem: 'has an OAuth app already: delete it first' },
      INTEGRATION_NOT_FOUND: { field: 'integrationName', problem: 'is unknown' },
    },
  };
}
