import type { Context } from 'koa';
import { type ConsentAnswer, findWaitingSession, finishConsent } from '../../../commands/connect/finish-consent.ts';
import type { Gateway } from '../../../commands/gateway.ts';
import type { ConnectSession } from '../../../domain/connect-session.ts';
import { GatewayError } from '../../../domain/errors.ts';
import { isWellFormed } from '../../../infra/tokens.ts';
import { notFound } from '../../route.ts';
import type { SeeOther } from '../layout/hosted-page.ts';
import { readForm } from '../layout/read-form.ts';
import type { Page } from '../layout/render-page.ts';
import type { ConnectPage } from './connect-page.ts';
import { clearConsentCookie, readConsentCookie } from './consent-cookie.ts';
import { isMarked, MARK_POPUP } from './popup.ts';
import { returnAddress } from './return-address.ts';

/**
 * The OAuth redirect URIs, which receive a code or an error. GET changes nothing: its page posts
 * the answer.
 */
export function callbackPage(gateway: Gateway): ConnectPage {
  return {
    get: (ctx) => showAnswer(gateway, ctx),
    post: (ctx) => finish(gateway, ctx),
  };
}

const SEND_AT_ONCE = `${MARK_POPUP}\ndocument.forms[0].requestSubmit()`;

async function showAnswer(gateway: Gateway, ctx: Context): Promise<Page> {
  const answer = readAnswer(ctx, (name) => (typeof ctx.query[name] === 'string' ? ctx.query[name] : null));
  const session = await findWaitingSession(gateway, answer.state);
  if (!session) throw notFound();
  const integration = (await gateway.catalog.find(session.orgId, session.integrationName))?.displayName ?? session.integrationName;
  return {
    title: `Back from ${integration}`,
    template: 'connect/callback',
    data: {
      integration,
      isGranted: answer.code !== null && answer.error === null,
      action: ctx.path.split('/').at(-1),
      fields: fieldsOf(answer),
    },
    formTargets: [session.successRedirectUri, session.errorRedirectUri].filter((uri) => uri !== null),
    script: SEND_AT_ONCE,
  };
}

async function finish(gateway: Gateway, ctx: Context): Promise<SeeOther> {
  const form = await readForm(ctx, gateway.config);
  const answer = readAnswer(ctx, (name) => form.get(name) || null);
  const pageToken = readConsentCookie(ctx, answer.state);
  if (!pageToken)
    throw new GatewayError('VALIDATION_ERROR', 'This sign-in was started in another browser, was already used, or has expired.');
  const session = await finishConsent(gateway, answer, pageToken);
  clearConsentCookie(ctx, gateway.config, answer.state);
  const began = (answer.callbackId === null ? '' : '../') + pageAddress(session, pageToken);
  return { seeOther: isMarked(form) ? `${began}&popup=1` : (returnAddress(session) ?? began) };
}

function readAnswer({ path }: Context, get: (name: string) => string | null): ConsentAnswer {
  const state = get('state');
  if (state === null) throw notFound();
  const [, callbackId = null] = path.split('/callback/');
  return { state, code: get('code'), error: get('error'), errorDescription: get('error_description'), issuer: get('iss'), callbackId };
}

function fieldsOf({ state, code, error, errorDescription, issuer }: ConsentAnswer): [string, string][] {
  const fields = { state, code, error, error_description: errorDescription, iss: issuer };
  return Object.entries(fields).filter((field): field is [string, string] => field[1] !== null);
}

/** Returns a URL relative to `/connect/callback`. */
function pageAddress(session: ConnectSession, pageToken: string): string {
  if (isWellFormed(pageToken, 'cst_')) return `../connect?token=${pageToken}`;
  const done = session.workspaceIntegrationId ?? session.integrationName;
  return `portal?token=${pageToken}&done=${encodeURIComponent(done)}&attempt=${session.id}`;
}
