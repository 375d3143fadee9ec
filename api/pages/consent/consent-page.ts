import type { Context, Middleware } from 'koa';
import type Provider from 'oidc-provider';
import type { Gateway } from '../../../commands/gateway.ts';
import { authorizeEndUser, findEndUserOfSignIn, type Refusal } from '../../../commands/oauth/authorize-end-user.ts';
import { findServerOfResource } from '../../../commands/oauth/find-server-of-resource.ts';
import { findGrantOf } from '../../../commands/oauth/grants.ts';
import { sessionOf } from '../../../commands/sign-in/signed-in.ts';
import { GatewayError } from '../../../domain/errors.ts';
import { type McpServer, scopesOf } from '../../../domain/mcp-server.ts';
import type { Identity } from '../../../domain/oauth/sign-in.ts';
import { mustSignInAgain, requiresNewSignIn } from '../../oauth/must-sign-in-again.ts';
import type { OAuthProviders } from '../../oauth/open-providers.ts';
import { hostedPage, type SeeOther } from '../layout/hosted-page.ts';
import { readForm } from '../layout/read-form.ts';
import type { Page } from '../layout/render-page.ts';
import { signInAddress } from '../sign-in/next-path.ts';
import { readSignInCookie } from '../sign-in/sign-in-cookies.ts';
import { comesFromSignIn, signedInPage } from '../sign-in/signed-in-page.ts';
import { presentClient } from './present-client.ts';

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

interface Request {
  interaction: Interaction;
  client: NonNullable<Awaited<ReturnType<Provider['Client']['find']>>>;
  server: McpServer;
  identity: Identity;
}

/**
 * `{platform_url}/oauth/interaction/<uid>`: the page on which a person signs in and allows or
 * denies a client (contract decisions 8). Only POST can allow a client.
 */
export function consentPage(gateway: Gateway, providers: OAuthProviders): Middleware {
  return hostedPage(gateway.logger, {
    prefix: '/oauth/interaction',
    get: async (ctx) => {
      const { provider } = await providers.current();
      const opened = await open(gateway, provider, ctx);
      return 'interaction' in opened ? showConsent(gateway, opened) : opened;
    },
    post: async (ctx) => {
      const form = await readForm(ctx, gateway.config);
      const { provider } = await providers.current();
      const opened = await open(gateway, provider, ctx);
      if (!('interaction' in opened)) return opened;
      return form.get('decision') === 'allow' ? allow(gateway, provider, ctx, opened) : deny(provider, ctx);
    },
  });
}

/** Opens the request. Returns a redirect or a page instead if the person must first sign in. */
async function open(gateway: Gateway, provider: Provider, ctx: Context): Promise<Request | SeeOther | Page> {
  const interaction = await interactionOf(provider, ctx);
  const session = await sessionOf(gateway, readSignInCookie(ctx));
  if (!session || mustSignInAgain(interaction, session)) {
    return { seeOther: signInAddress('../../sign-in', { next: ctx.path, requiresNewSignIn: requiresNewSignIn(interaction) }) };
  }
  const { identity } = session;
  const knownAs = interaction.session?.accountId;
  if (interaction.prompt.name === 'login' || knownAs !== identity.id) {
    if (knownAs !== undefined && knownAs !== identity.id) await forgetSession(provider, interaction);
    const next = await provider.interactionResult(ctx.req, ctx.res, { login: { accountId: identity.id } });
    return comesFromSignIn(ctx) && (await isRemembered(gateway, interaction, identity)) ? signedInPage(next) : { seeOther: next };
  }
  const resource = String(interaction.params.resource);
  const [server, client] = await Promise.all([
    findServerOfResource(gateway, resource),
    provider.Client.find(String(interaction.params.client_id)),
  ]);
  if (!server || !client) throw new GatewayError('NOT_FOUND', 'The server or the client of this request was deleted.');
  return { interaction, identity, server, client };
}

/** Whether the person has allowed this client on this server before. */
async function isRemembered(gateway: Gateway, { params }: Interaction, { id }: Identity): Promise<boolean> {
  const asked = { clientId: String(params.client_id), identityId: id, resource: String(params.resource) };
  return (await findGrantOf(gateway, asked)) !== undefined;
}

/** Ends another person's session. The library would show a sign-out page, which is missing here. */
async function forgetSession(provider: Provider, interaction: Interaction): Promise<void> {
  const session = interaction.session?.uid === undefined ? undefined : await provider.Session.findByUid(interaction.session.uid);
  await session?.destroy();
  delete interaction.session;
  await interaction.save(interaction.exp - Math.floor(Date.now() / 1000));
}

async function interactionOf(provider: Provider, ctx: Context): Promise<Interaction> {
  try {
    return await provider.interactionDetails(ctx.req, ctx.res);
  } catch (error) {
    const { errors } = await import('oidc-provider'); // already loaded: the provider threw the error
    if (!(error instanceof errors.SessionNotFound)) throw error;
    throw new GatewayError('NOT_FOUND', 'This request has ended, or another browser began it. Start again in your MCP client.');
  }
}

const REFUSALS: Record<Refusal, string> = {
  unknown: 'This address has no access to this server. Ask its administrator to add you.',
  ambiguous: 'Several end users have this address. Ask the administrator of this server to correct it.',
  'other-end-user': 'This server belongs to another end user.',
};

async function showConsent({ db }: Gateway, { interaction, client, server, identity }: Request): Promise<Page> {
  const found = await findEndUserOfSignIn(db, server, identity);
  const refusal = 'refusal' in found ? REFUSALS[found.refusal] : undefined;
  return {
    status: refusal ? 403 : 200,
    title: refusal ? 'No access' : `Allow ${client.clientName ?? 'a client'}`,
    template: 'consent/consent',
    data: {
      client: presentClient(client, String(interaction.params.redirect_uri ?? '')),
      server: { name: server.name, runsCode: requestedScopes(interaction, server).includes('mcp:code') },
      email: identity.email,
      refusal,
    },
    formTargets: typeof interaction.params.redirect_uri === 'string' ? [interaction.params.redirect_uri] : [],
  };
}

function requestedScopes({ params }: Interaction, { mode }: McpServer): string[] {
  const asked = String(params.scope ?? '').split(' ');
  return scopesOf(mode).filter((scope) => asked.includes(scope));
}

async function allow(
  gateway: Gateway,
  provider: Provider,
  ctx: Context,
  { interaction, client, server, identity }: Request,
): Promise<Page | SeeOther> {
  const authorized = await authorizeEndUser(gateway, server, identity);
  if ('refusal' in authorized) throw new GatewayError('SCOPE_DENIED', REFUSALS[authorized.refusal]);
  const existing = interaction.grantId === undefined ? undefined : await provider.Grant.find(interaction.grantId);
  const grant = existing ?? new provider.Grant({ accountId: identity.id, clientId: client.clientId });
  grant.addResourceScope(String(interaction.params.resource), requestedScopes(interaction, server).join(' '));
  const grantId = await grant.save();
  return { seeOther: await provider.interactionResult(ctx.req, ctx.res, { consent: { grantId } }) };
}

async function deny(provider: Provider, ctx: Context): Promise<SeeOther> {
  const result = { error: 'access_denied', error_description: 'The person denied the request.' };
  return { seeOther: await provider.interactionResult(ctx.req, ctx.res, result, { mergeWithLastSubmission: false }) };
}
