import type { Context } from 'koa';
import { openPortal, type Portal, type PortalEntry, portalUser } from '../../../commands/connect/open-portal.ts';
import { portalAccount, portalSession } from '../../../commands/connect/portal-account.ts';
import { connectAccount } from '../../../commands/connections/connect-account.ts';
import { removeConnection } from '../../../commands/connections/delete-connection.ts';
import type { Gateway } from '../../../commands/gateway.ts';
import type { ConnectSession } from '../../../domain/connect-session.ts';
import { findConnectSession } from '../../../store/connect-sessions.ts';
import { findWorkspace } from '../../../store/workspaces.ts';
import { notFound } from '../../route.ts';
import { uuid } from '../../schemas.ts';
import type { SeeOther } from '../layout/hosted-page.ts';
import { readForm } from '../layout/read-form.ts';
import type { Page } from '../layout/render-page.ts';
import type { ConnectPage } from './connect-page.ts';
import { endOf, openerOrigins, type PopupResult, resultOf, TELL_OPENER } from './popup.ts';
import { type Attempt, presentMethods } from './present-methods.ts';
import { presentEntry, presentPortal } from './present-portal.ts';
import { consentAddresses, submitMethod } from './submit-method.ts';

/**
 * `{platform_url}/connect/portal?token=eut_…`: the accounts of an end user (specification 4.3,
 * 5.8).
 */
export function portalPage(gateway: Gateway): ConnectPage {
  return {
    get: async (ctx) => {
      const opened = await open(gateway, ctx.query.token);
      return typeof ctx.query.connect === 'string'
        ? showEntry(opened, entryOf(opened, ctx.query.connect))
        : showPortal(gateway, opened, ctx.query);
    },
    post: (ctx) => change(gateway, ctx),
  };
}

interface OpenPortal extends Portal {
  plainToken: string;
}

async function open(gateway: Gateway, token: unknown): Promise<OpenPortal> {
  const portal = typeof token === 'string' ? await openPortal(gateway, token) : undefined;
  if (!portal) throw notFound();
  return { ...portal, plainToken: token as string };
}

function entryOf({ entries }: Portal, key: string | null): PortalEntry {
  const entry = entries.find((candidate) => candidate.key === key);
  if (!entry) throw notFound();
  return entry;
}

async function change(gateway: Gateway, ctx: Context): Promise<Page | SeeOther> {
  const form = await readForm(ctx, gateway.config);
  const opened = await open(gateway, form.get('token'));
  const entry = entryOf(opened, form.get('entry'));
  const { token, plainToken } = opened;
  const done = { seeOther: `portal?token=${plainToken}&done=${encodeURIComponent(entry.key)}` };
  if (form.get('change') === 'disconnect') {
    if (entry.connection) await removeConnection(gateway, portalUser(token), entry.connection, 'The end user disconnected the account.');
    return done;
  }
  const submitted = await submitMethod(
    ctx,
    gateway,
    { offers: entry.offers, form },
    {
      token: plainToken,
      session: () => portalSession(gateway, token, entry),
      connect: async (access) => {
        await connectAccount(gateway, portalUser(token), await portalAccount(gateway, token, entry), access);
        return done;
      },
    },
  );
  return 'methodKey' in submitted ? showEntry(opened, entry, submitted) : submitted;
}

async function showPortal(gateway: Gateway, opened: OpenPortal, { done, attempt }: Context['query']): Promise<Page> {
  const { orgId, workspaceId } = opened.token;
  const [workspace, failed] = await Promise.all([findWorkspace(gateway.db, orgId, workspaceId), findAttempt(gateway, opened, attempt)]);
  const waiting = opened.waiting.items.map(({ approval }) => approval.integrationName);
  const catalog = await gateway.catalog.of(orgId, waiting);
  const view = presentPortal(catalog, opened, { workspace: workspace?.name ?? '', done, problem: failed?.error ?? undefined });
  const result = failed ? resultOf(failed) : connectedResult(opened, done);
  const end = result && endOf({ result, origins: openerOrigins(gateway.config), next: undefined });
  return {
    title: 'Your accounts',
    template: 'connect/portal',
    data: { ...view, token: opened.plainToken, end },
    ...(end && { script: TELL_OPENER }),
  };
}

function connectedResult({ entries }: Portal, done: unknown): PopupResult | undefined {
  const { integration, connection } = entries.find(({ key }) => key === done) ?? {};
  if (!integration || !connection) return undefined;
  const { id: connectionId, externalId } = connection;
  return { type: 'gateway-connect-result', status: 'COMPLETED', connectionId, integrationName: integration.name, externalId, error: null };
}

/** Undefined if this end user has no such session. */
async function findAttempt(gateway: Gateway, { token }: Portal, id: unknown): Promise<ConnectSession | undefined> {
  const known = uuid.safeParse(id);
  const session = known.success ? await findConnectSession(gateway.db, token.orgId, known.data) : undefined;
  return session?.workspaceId === token.workspaceId && session.endUserId === token.endUser.externalId ? session : undefined;
}

function showEntry({ plainToken }: OpenPortal, entry: PortalEntry, attempt?: Attempt): Page {
  const view = presentEntry(entry);
  return {
    status: attempt ? 400 : 200,
    title: `Connect ${view.name}`,
    template: 'connect/portal-account',
    data: { ...view, token: plainToken, methods: presentMethods(entry.offers, attempt) },
    formTargets: consentAddresses(entry.offers),
  };
}
