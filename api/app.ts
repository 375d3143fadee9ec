import Koa from 'koa';
import type { Gateway } from '../commands/gateway.ts';
import { openDashboardNews } from '../commands/news/dashboard-news.ts';
import { watchHealth } from '../commands/news/watch-health.ts';
import { health } from './health.ts';
import { jwks } from './jwks.ts';
import { mcpEndpoint } from './mcp/endpoint.ts';
import { allowOrigins, MCP_SHARING, REST_SHARING } from './middleware/allow-origins.ts';
import { compressPublic } from './middleware/compress-public.ts';
import { logRequests } from './middleware/log-requests.ts';
import { openRateLimit } from './middleware/rate-limit.ts';
import { refuseOwnRequests } from './middleware/refuse-own-requests.ts';
import { renderErrors } from './middleware/render-errors.ts';
import { requestId } from './middleware/request-id.ts';
import { sourceAddress } from './middleware/source-address.ts';
import { mountRoutes } from './mount-routes.ts';
import { oauthMetadata } from './oauth/metadata.ts';
import { oauthServer } from './oauth/oauth-server.ts';
import { openProviders } from './oauth/open-providers.ts';
import { openApi } from './openapi.ts';
import { accountPage } from './pages/account/account-page.ts';
import { dashboard } from './pages/app/dashboard.ts';
import { approvalPage } from './pages/approval-page.ts';
import { connectPages } from './pages/connect-pages.ts';
import { consentPage } from './pages/consent/consent-page.ts';
import { docs } from './pages/docs.ts';
import { download } from './pages/download.ts';
import { home } from './pages/home.ts';
import { signInPage } from './pages/sign-in/sign-in-page.ts';
import { ROUTES } from './routes.ts';

/**
 * Builds the HTTP application. Before the HTTP server closes, emit `stopping` on the application,
 * to disconnect open pages of the dashboard.
 */
export function createApp(gateway: Gateway): Koa {
  const app = new Koa();
  const providers = openProviders(gateway);
  const news = openDashboardNews(gateway);
  app.on('stopping', news.close);
  const healthWatch = watchHealth(gateway, news);
  app.on('stopping', healthWatch.stop);
  const limit = openRateLimit(gateway.config.rateLimit);
  // Errors that arrive here occur while a response is sent, mostly because the caller has closed
  // the connection.
  app.on('error', (error) => gateway.logger.debug({ err: error }, 'response not delivered'));
  app.use(requestId());
  app.use(sourceAddress(gateway.config.trustedProxies));
  app.use(logRequests(gateway.logger));
  app.use(allowOrigins(gateway.config.corsOrigins, REST_SHARING));
  app.use(allowOrigins(gateway.config.mcpCorsOrigins, MCP_SHARING));
  app.use(compressPublic());
  app.use(renderErrors(gateway.logger));
  app.use(refuseOwnRequests(gateway.config));
  // The mounts of the most frequent requests come first, because a request passes through every
  // earlier mount.
  app.use(mcpEndpoint(gateway, limit));
  for (const middleware of mountRoutes(gateway, ROUTES, limit)) app.use(middleware);
  app.use(health(gateway));
  app.use(home(gateway));
  app.use(jwks(gateway));
  app.use(openApi(gateway, ROUTES));
  app.use(docs(gateway, ROUTES));
  app.use(dashboard(gateway, news, healthWatch));
  app.use(approvalPage(gateway));
  app.use(connectPages(gateway));
  app.use(download(gateway));
  app.use(signInPage(gateway));
  app.use(accountPage(gateway, providers));
  app.use(oauthMetadata(gateway));
  app.use(consentPage(gateway, providers));
  app.use(oauthServer(gateway, providers));
  return app;
}
