import type { Context } from 'koa';
import { completeConnectSession } from '../../../commands/connect/complete-connect-session.ts';
import { findSessionOfToken } from '../../../commands/connect/get-connect-session.ts';
import { type Offer, offerMethods } from '../../../commands/connections/offer-methods.ts';
import type { Gateway } from '../../../commands/gateway.ts';
import { type ConnectSession, isOpen } from '../../../domain/connect-session.ts';
import { findConnectionInScope, type ListedConnection } from '../../../store/connections.ts';
import { listOauthAppIntegrations } from '../../../store/oauth-apps.ts';
import { findOrg } from '../../../store/orgs.ts';
import { findWorkspace } from '../../../store/workspaces.ts';
import { notFound } from '../../route.ts';
import type { SeeOther } from '../layout/hosted-page.ts';
import { readForm } from '../layout/read-form.ts';
import type { Page } from '../layout/render-page.ts';
import type { ConnectPage } from './connect-page.ts';
import { endOf, isMarked, MARK_POPUP, openerOrigins, resultOf, TELL_OPENER } from './popup.ts';
import { type Attempt, presentMethods } from './present-methods.ts';
import { presentSession, type SessionView } from './present-session.ts';
import { returnAddress } from './return-address.ts';
import { consentAddresses, submitMethod } from './submit-method.ts';

/** `{platform_url}/connect?token=cst_…`: a person connects one account, once. */
export function sessionPage(gateway: Gateway): ConnectPage {
  return {
    get: async (ctx) => showSession(gateway, await openSession(gateway, ctx.query.token, ctx.query.popup === '1')),
    post: (ctx) => connect(gateway, ctx),
  };
}

interface OpenSession {
  session: ConnectSession;
  token: string;
  offers: Offer[];
  /** Whether the page is a popup, which posts the result to its opener before it redirects. */
  isPopup: boolean;
}

async function openSession(gateway: Gateway, token: unknown, isPopup: boolean): Promise<OpenSession> {
  const session = typeof token === 'string' ? await findSessionOfToken(gateway, token) : undefined;
  if (!session) throw notFound();
  const integration = (await gateway.catalog.find(session.orgId, session.integrationName)) ?? { name: session.integrationName, auth: null };
  const apps = await listOauthAppIntegrations(gateway.db, session.orgId);
  return { session, token: token as string, offers: offerMethods(integration, apps, session.authMethodKey), isPopup };
}

async function connect(gateway: Gateway, ctx: Context): Promise<Page | SeeOther> {
  const form = await readForm(ctx, gateway.config);
  const opened = await openSession(gateway, form.get('token'), isMarked(form));
  const { session, token, offers } = opened;
  if (!isOpen(session)) return showSession(gateway, opened);
  const submitted = await submitMethod(
    ctx,
    gateway,
    { offers, form },
    {
      token,
      session: async () => session,
      connect: async (access) => {
        const completed = await completeConnectSession(gateway, session, access);
        if (!completed) return showSession(gateway, await openSession(gateway, token, opened.isPopup));
        if (opened.isPopup) return { seeOther: `connect?token=${token}&popup=1` };
        return { seeOther: returnAddress(completed) ?? `connect?token=${token}` };
      },
    },
  );
  return 'methodKey' in submitted ? showSession(gateway, opened, submitted) : submitted;
}

async function showSession(gateway: Gateway, { session, token, offers, isPopup }: OpenSession, attempt?: Attempt): Promise<Page> {
  const [place, replaced] = await Promise.all([placeOf(gateway, session), isOpen(session) ? findReplaced(gateway, session) : undefined]);
  const integration = (await gateway.catalog.find(session.orgId, session.integrationName))?.displayName ?? session.integrationName;
  const view = presentSession(session, { integration, place, replaced: replaced?.displayName });
  const result = resultOf(session);
  const next = returnAddress(session);
  const end = result && endOf({ result, origins: openerOrigins(gateway.config, session), next: isPopup ? next : undefined });
  const elsewhere = [session.successRedirectUri, session.errorRedirectUri].filter((uri) => uri !== null);
  return {
    status: attempt ? 400 : session.status === 'FAILED' ? 410 : 200,
    title: view.title,
    template: 'connect/session',
    data: { ...view, token, methods: presentMethods(offers, attempt), next, end },
    ...(end ? { script: TELL_OPENER } : elsewhere.length > 0 && { script: MARK_POPUP }),
    formTargets: isOpen(session) ? [...consentAddresses(offers), ...elsewhere] : [],
  };
}

async function placeOf({ db }: Gateway, { orgId, workspaceId, scope }: ConnectSession): Promise<SessionView['place']> {
  if (scope === 'ORGANIZATION') return { kind: 'organization', name: (await findOrg(db, orgId))?.name ?? '' };
  return { kind: 'workspace', name: (await findWorkspace(db, orgId, workspaceId))?.name ?? '' };
}

async function findReplaced({ db }: Gateway, session: ConnectSession): Promise<ListedConnection | undefined> {
  return findConnectionInScope(db, { ...session, endUserExternalId: session.endUserId });
}
