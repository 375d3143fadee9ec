import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Context, Middleware } from 'koa';
import type Provider from 'oidc-provider';
import type { Gateway } from '../../commands/gateway.ts';
import { limitSource } from '../../commands/oauth/limit-source.ts';
import { GatewayError } from '../../domain/errors.ts';
import { assertMethod } from '../middleware/assert-method.ts';
import { readBytes } from '../middleware/read-bytes.ts';
import { shareWithAnyOrigin } from '../middleware/share-with-any-origin.ts';
import { keepUserCode } from '../pages/device/device-pages.ts';
import { assertOwnSite } from '../pages/layout/assert-own-site.ts';
import { renderError } from '../pages/layout/hosted-page.ts';
import { setPageHeaders } from '../pages/layout/render-page.ts';
import { acceptParameters } from './accept-parameters.ts';
import { endpointAt, OAUTH_PATHS, SESSION_COOKIE } from './endpoints.ts';
import type { OAuthProviders } from './open-providers.ts';
import { outageOf } from './outages.ts';
import { readRegistration } from './read-registration.ts';

/** Serves the endpoints of the authorization server. */
export function oauthServer(gateway: Gateway, providers: OAuthProviders): Middleware {
  const { config, logger } = gateway;
  const platform = new URL(config.platformUrl);

  async function answer(ctx: Context, methods: readonly string[]): Promise<void> {
    assertMethod(ctx, methods);
    const request = await accept(gateway, ctx);
    const { provider, handle } = await providers.current();
    if (ctx.path === OAUTH_PATHS.code_verification && ctx.method === 'POST') {
      assertOwnSite(ctx, config);
      await limit(gateway, ctx, 'device-code');
      if (!(await hasSession(provider, ctx))) return beginAgain(ctx);
    }
    // The library builds URLs from the request's host, so the host of PLATFORM_URL replaces it.
    const forwarded = { 'x-forwarded-proto': platform.protocol.slice(0, -1), 'x-forwarded-for': ctx.ip };
    Object.assign(request.headers, { host: platform.host, ...forwarded });
    delete request.headers['x-forwarded-host'];
    Object.assign(request, { originalUrl: platform.pathname.replace(/\/$/, '') + request.url });
    ctx.respond = false;
    await handle(request, ctx.res);
    const outage = outageOf(request);
    if (outage !== undefined) {
      ctx.respond = true;
      throw outage;
    }
    logger.debug({ path: ctx.path, status: ctx.res.statusCode }, 'authorization server answered');
  }

  /** Renders an error as a page, because browsers open the endpoints that are not shared. */
  function answerProblem(ctx: Context, error: unknown): void {
    setPageHeaders(ctx);
    renderError(ctx, logger, error);
  }

  return async (ctx, next) => {
    const endpoint = endpointAt(ctx.path);
    if (!endpoint) return next();
    ctx.set('Cache-Control', 'no-store');
    if (!endpoint.isShared) return answer(ctx, endpoint.methods).catch((error) => answerProblem(ctx, error));
    return shareWithAnyOrigin(endpoint.methods)(ctx, () => answer(ctx, endpoint.methods));
  };
}

/**
 * Whether the browser has a session. The page with the form for a device code begins a session. The
 * library fails on a form without a session.
 */
async function hasSession(provider: Provider, ctx: Context): Promise<boolean> {
  const id = ctx.cookies.get(SESSION_COOKIE, { signed: false });
  return id !== undefined && (await provider.Session.find(id)) !== undefined;
}

function beginAgain(ctx: Context): void {
  ctx.status = 303;
  ctx.set('Location', ctx.path.slice(ctx.path.lastIndexOf('/') + 1));
  ctx.body = '';
}

async function accept(gateway: Gateway, ctx: Context): Promise<IncomingMessage> {
  switch (ctx.path) {
    case OAUTH_PATHS.authorization: {
      const url = new URL(ctx.req.url!, 'http://localhost');
      ctx.req.url = `${url.pathname}?${acceptParameters(url.searchParams)}`;
      return ctx.req;
    }
    case OAUTH_PATHS.registration:
      await limit(gateway, ctx, 'client-registration');
      return withBody(ctx.req, 'application/json', await readRegistration(ctx));
    case OAUTH_PATHS.code_verification:
      keepUserCode(ctx.req);
      return ctx.req;
    case OAUTH_PATHS.device_authorization:
      return ctx.is(FORM) ? withBody(ctx.req, FORM, await readParameters(ctx)) : ctx.req;
    default:
      return ctx.req;
  }
}

const TOO_MANY = {
  'client-registration': 'Too many clients were registered from this address. Wait, then try again.',
  'device-code': 'Too many codes were entered from this address. Wait, then try again.',
} as const;

async function limit(gateway: Gateway, ctx: Context, purpose: keyof typeof TOO_MANY): Promise<void> {
  const waitSeconds = await limitSource(gateway, purpose, ctx.ip);
  if (waitSeconds === undefined) return;
  ctx.set('Retry-After', String(waitSeconds));
  throw new GatewayError('RATE_LIMITED', TOO_MANY[purpose]);
}

const FORM = 'application/x-www-form-urlencoded';
/** Maximum size of a form. Forms that the library reads have the same limit. */
const FORM_MAX_BYTES = 56 * 1024;

/** A form that is too large becomes an empty form, which the library refuses. */
async function readParameters(ctx: Context): Promise<string> {
  const bytes = await readBytes(ctx, FORM_MAX_BYTES);
  return bytes === undefined ? '' : acceptParameters(new URLSearchParams(bytes.toString('utf8'))).toString();
}

/** Returns a copy of the request that streams `body` to the library. */
function withBody(request: IncomingMessage, type: string, body: string): IncomingMessage {
  const bytes = Buffer.from(body);
  const { method, url, socket, httpVersion } = request;
  const headers = { ...request.headers, 'content-type': type, 'content-length': String(bytes.length) };
  return Object.assign(Readable.from([bytes], { objectMode: false }), {
    method,
    url,
    socket,
    httpVersion,
    headers,
  }) as unknown as IncomingMessage;
}
