import type { Context } from 'koa';
import { completeConnectSession } from '../../../commands/complete-connect-session.ts';
import type { Gateway } from '../../../commands/gateway.ts';
import { findSessionOfToken } from '../../../commands/get-connect-session.ts';
import { type Offer, offerMethods } from '../../../commands/offer-methods.ts';
import { type ConnectSession, isOpen } from '../../../domain/connect-session.ts';
import { listOauthAppIntegrations } from '../../../store/oauth-apps.ts';
import { findWorkspace } from '../../../store/workspaces.ts';
import { notFound } from '../../route.ts';
import type { ConnectPage } from '../connect-pages.ts';
import { assertOwnSite } from '../layout/assert-own-site.ts';
import type { SeeOther } from '../layout/hosted-page.ts';
import { readForm } from '../layout/read-form.ts';
import type { Page } from '../layout/render-page.ts';
import { type Attempt, presentMethods } from './present-methods.ts';
import { presentSession } from './present-session.ts';
import { returnAddress } from './return-address.ts';
import { consentAddresses, submitMethod } from './submit-method.ts';

/** `{platform_url}/connect?token=cst_…`: one person links one account, once. */
export function sessionPage(gateway: Gateway): ConnectPage {
  return {
    get: async (ctx) => showSession(gateway, await openSession(gateway, ctx.query.token)),
    post: (ctx) => connect(gateway, ctx),
  };
}

interface OpenSession {
  session: ConnectSession;
  token: string;
  offers: Offer[];
}

async function openSession(gateway: Gateway, token: unknown): Promise<OpenSession> {
  const session = typeof token === 'string' ? await findSessionOfToken(gateway, token) : undefined;
  if (!session) throw notFound();
  const integration = gateway.catalog.find(session.integrationName) ?? { name: session.integrationName, auth: null };
  const apps = await listOauthAppIntegrations(gateway.db, session.orgId);
  return { session, token: token as string, offers: offerMethods(integration, apps, session.authMethodKey) };
}

async function connect(gateway: Gateway, ctx: Context): Promise<Page | SeeOther> {
  assertOwnSite(ctx, gateway.config);
  const form = await readForm(ctx);
  const opened = await openSession(gateway, form.get('token'));
  const { session, token, offers } = opened;
  if (!isOpen(session)) return showSession(gateway, opened);
  const submitted = await submitMethod(
    ctx,
    gateway,
    { offers, form },
    {
      token,
      session: async () => session,
      connect: async (access) => returnAddress(await completeConnectSession(gateway, session, access)) ?? `connect?token=${token}`,
    },
  );
  return 'seeOther' in submitted ? submitted : showSession(gateway, opened, submitted);
}

async function showSession(gateway: Gateway, { session, token, offers }: OpenSession, attempt?: Attempt): Promise<Page> {
  const workspace = await findWorkspace(gateway.db, session.orgId, session.workspaceId);
  const view = presentSession(session, {
    integration: gateway.catalog.find(session.integrationName)?.displayName ?? session.integrationName,
    workspace: workspace?.name ?? '',
  });
  const elsewhere = [session.successRedirectUri, session.errorRedirectUri].filter((uri) => uri !== null);
  return {
    status: attempt ? 400 : session.status === 'FAILED' ? 410 : 200,
    title: view.title,
    template: 'connect/session',
    data: { ...view, token, methods: presentMethods(offers, attempt), next: returnAddress(session) },
    leadsTo: isOpen(session) ? [...consentAddresses(offers), ...elsewhere] : [],
  };
}
