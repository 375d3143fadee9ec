import { z } from 'zod';
import { type Credentials, openAllCredentials } from '../../../commands/connections/connection-credentials.ts';
import { openOrgCatalog } from '../../../commands/integrations/org-catalog.ts';
import { openCatalog } from '../../../integrations/catalog.ts';
import { type AuthMethod, action, integration } from '../../../integrations/definition.ts';
import { codeObjectSchema } from '../../../integrations/schema/value-schema.ts';
import { type ApiBed, openApiBed } from '../api-bed.ts';
import { importTasks, tasksAt } from '../integrations/own/own-bed.ts';
import { anOauthProvider, type OauthProvider } from './oauth-provider.ts';

export interface ConnectBed extends ApiBed {
  provider: OauthProvider;
}

/** Opens the API with a third party and integrations that connect in different ways. */
export async function openConnectBed(): Promise<ConnectBed> {
  const [bed, provider] = await Promise.all([openApiBed(), anOauthProvider()]);
  bed.gateway.config.platformUrl = bed.apiUrl;
  bed.gateway.catalog = openOrgCatalog(bed.gateway.db, openCatalog(integrationsAt(provider.url)));
  return { ...bed, provider, close: () => Promise.all([bed.close(), provider.close()]).then(() => {}) };
}

function integrationsAt(providerUrl: string) {
  const oauth2 = {
    authorizationUrl: `${providerUrl}/authorize?tenant=common`,
    tokenUrl: `${providerUrl}/token`,
    scopes: ['read', 'write'],
  };
  const token: AuthMethod = { key: 'token', type: 'SECRET_TEXT', displayName: 'API token', description: 'From your settings' };
  return [
    account('clock', 'Clock', null),
    account('mail', 'Mail', [token]),
    account('ledger', 'Ledger', [{ key: 'login', type: 'BASIC_AUTH', displayName: 'User and password', description: '' }]),
    account('press', 'Press', [
      { key: 'site', type: 'BASIC_AUTH', displayName: 'Site', description: '', props: codeObjectSchema(z.object({ site: z.url() })) },
    ]),
    account('shop', 'Shop', [
      { key: 'key', type: 'CUSTOM_AUTH', displayName: 'Shop and key', description: '', props: codeObjectSchema(shopProps) },
    ]),
    account('cloud', 'Cloud', [{ key: 'oauth', type: 'OAUTH2', displayName: 'Sign in', description: '', oauth2 }, token]),
    account('stall', 'Stall', [
      {
        ...{ key: 'oauth', type: 'OAUTH2', displayName: 'Sign in', description: '', props: codeObjectSchema(stallProps) },
        oauth2: {
          authorizationUrl: `${providerUrl}/{account.shop}/authorize`,
          tokenUrl: `${providerUrl}/{account.shop}/token`,
          scopes: [],
          account: { url: `${providerUrl}/sites`, prefix: 'Key ', match: { site: 'url' }, data: { siteId: 'id', siteName: 'name' } },
        },
      },
    ]),
    account('vault', 'Vault', [{ key: 'oauth', type: 'OAUTH2', displayName: 'Sign in', description: '', oauth2 }]),
  ];
}

const stallProps = z.object({
  shop: z.string().max(30).meta({ public: true }),
  site: z.url().optional().meta({ public: true }),
});

const shopProps = z.object({
  domain: z.string().max(30).describe('Such as my-shop.example'),
  apiKey: z.string(),
  region: z.enum(['eu', 'us']).default('eu'),
  retries: z.number().int().max(9).optional(),
  sandbox: z.boolean().default(false),
});

function account(name: string, displayName: string, auth: AuthMethod[] | null) {
  const read = action({
    displayName: 'Read',
    description: '',
    category: 'read',
    input: z.object({}),
    output: z.object({}),
    run: () => ({}),
  });
  return integration({
    name,
    displayName,
    description: `${displayName} for tests`,
    logoUrl: null,
    categories: [],
    auth,
    actions: { read },
  });
}

/** Starts a connect session. */
export async function aSession(bed: ConnectBed, fields: object = {}): Promise<{ token: string; connectUrl: string; sessionId: string }> {
  const body = { integrationName: 'mail', connectionName: 'My mail', externalId: 'mail-1', workspaceId: bed.workspaceId, ...fields };
  return bed.api.must(201).post('/api/v1/connect/token', body);
}

/** Configures an OAuth app at the bed's third party, unless the integration already has one. */
export async function anOauthApp(bed: ConnectBed, integrationName = 'cloud'): Promise<void> {
  const answer = await bed.api.post('/api/v1/oauth-apps', { integrationName, ...bed.provider.client });
  if (![201, 409].includes(answer.status)) throw new Error(JSON.stringify(answer.body));
}

/** Creates an end user and a link to the end user's portal. */
export async function aPortal(
  bed: ConnectBed,
  externalId: string,
  restriction: object = {},
): Promise<{ token: string; connectUrl: string }> {
  const { endUser } = await bed.api.must(201).post('/api/v1/end-users', { workspaceId: bed.workspaceId, externalId });
  return bed.api.must(200).post(`/api/v1/end-users/${endUser.id}/connect-token`, restriction);
}

/**
 * Configures an integration with one account per end user. Returns the id of the configured
 * integration.
 */
export async function anInstance(bed: ConnectBed, integrationName: string, fields: object = {}): Promise<string> {
  const body = { integrationName, connectionStrategy: 'per_user', ...fields };
  return (await bed.api.must(201).post(`/api/v1/workspaces/${bed.workspaceId}/integrations`, body)).integration.id;
}

/** Submits a form as a browser on the page would. Does not follow the redirect. */
export function submit(url: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> {
  const { origin, pathname, searchParams } = new URL(url);
  return fetch(`${origin}${pathname}`, {
    method: 'POST',
    body: new URLSearchParams({ token: searchParams.get('token') ?? '', ...fields }),
    headers: { 'Sec-Fetch-Site': 'same-origin', Origin: 'null', ...headers },
    redirect: 'manual',
  });
}

/** The cookies that an answer sets, in the format of the Cookie header. */
export function cookiesOf(answer: Response): string {
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}

/**
 * Opens the callback page and submits its form. Returns the page instead if its status is not 200.
 */
export async function comeBack(callbackUrl: string, cookie: string): Promise<Response> {
  const shown = await fetch(callbackUrl);
  if (shown.status !== 200) return shown;
  const fields = [...(await shown.text()).matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)];
  return submit(callbackUrl, Object.fromEntries(fields.map(([, name, value]) => [name, value])), { cookie });
}

/** Returns the decrypted credentials of a connection. */
export async function credentialsOf(bed: ConnectBed, connectionId: string): Promise<Credentials> {
  const row = await bed.gateway.db('connections').where({ id: connectionId }).first();
  return openAllCredentials(bed.gateway, {
    orgId: row.org_id,
    workspaceId: row.workspace_id,
    id: row.id,
    sealedCredentials: row.sealed_credentials,
  });
}

/** Returns the status of a session, as the caller who started the session sees it. */
export async function outcomeOf(bed: ConnectBed, token: string) {
  return bed.api.must(200).post('/api/v1/connect/session/poll', { token });
}

/**
 * Imports an integration whose users sign in at `provider`, and configures its OAuth app. Returns
 * the id of the integration.
 */
export async function anOwnIntegration(bed: ConnectBed, name: string, provider: OauthProvider, oauth2: object = {}): Promise<string> {
  const endpoints = { authorizationUrl: `${provider.url}/authorize`, tokenUrl: `${provider.url}/token`, scopes: ['read'], ...oauth2 };
  const auth = [{ key: 'oauth', type: 'OAUTH2', displayName: 'Sign in', authenticate: 'bearer', oauth2: endpoints }];
  const { integration: own } = await importTasks(bed, name, tasksAt(provider.url, { displayName: name, auth }));
  await bed.api.must(201).post('/api/v1/oauth-apps', { integrationName: name, ...provider.client });
  return own.id;
}
