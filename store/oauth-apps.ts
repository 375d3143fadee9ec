import type { OauthApp } from '../domain/oauth-app.ts';
import type { Db } from '../infra/database.ts';
import { columns, toRow } from './columns.ts';
import { oldestFirst, type Page, type PageRequest, pageOf } from './page.ts';

const COLUMNS = columns<OauthApp>('id', 'orgId', 'integrationName', 'displayName', 'clientId', 'callbackId', 'createdAt');

export interface SealedOauthApp extends OauthApp {
  sealedClientSecret: Buffer;
}

const SEALED_COLUMNS = [...COLUMNS, ...columns<SealedOauthApp>('sealedClientSecret')];

/**
 * Inserts an app. Violates a unique constraint if the organization already has an app for the
 * integration.
 */
export async function insertOauthApp(db: Db, app: Omit<SealedOauthApp, 'createdAt'>): Promise<OauthApp> {
  const [row] = await db('oauth_apps').insert(toRow(app)).returning(COLUMNS);
  return row;
}

export async function findOauthApp(db: Db, orgId: string, integrationName: string): Promise<SealedOauthApp | undefined> {
  return db('oauth_apps').select(SEALED_COLUMNS).where({ org_id: orgId, integration_name: integrationName }).first();
}

/** Returns a page of apps, oldest first. */
export async function listOauthApps(db: Db, orgId: string, page: PageRequest): Promise<Page<OauthApp>> {
  const all = db('oauth_apps').where({ org_id: orgId });
  return pageOf(all, page, (ids) => db('oauth_apps').select(COLUMNS).whereIn('id', ids).orderBy(oldestFirst()));
}

/** Returns the names of the integrations that the organization has an app for. */
export async function listOauthAppIntegrations(db: Db, orgId: string): Promise<string[]> {
  return db('oauth_apps').where({ org_id: orgId }).orderBy('integration_name').pluck('integration_name');
}

export async function findOauthAppById(db: Db, orgId: string, id: string): Promise<OauthApp | undefined> {
  return db('oauth_apps').select(COLUMNS).where({ org_id: orgId, id }).first();
}

export async function deleteOauthApp(db: Db, orgId: string, id: string): Promise<boolean> {
  return (await db('oauth_apps').where({ org_id: orgId, id }).delete()) > 0;
}
