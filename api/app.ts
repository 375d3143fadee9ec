import Koa from 'koa';
import type { Gateway } from '../commands/gateway.ts';
import { health } from './health.ts';
import { jwks } from './jwks.ts';
import { mcpEndpoint } from './mcp/endpoint.ts';
import { allowOrigins } from './middleware/allow-origins.ts';
import { logRequests } from './middleware/log-requests.ts';
import { openRateLimit } from './middleware/rate-limit.ts';
import { renderErrors } from './middleware/render-errors.ts';
import { requestId } from './middleware/request-id.ts';
import { mountRoutes } from './mount-routes.ts';
import { openApi } from './openapi.ts';
import { approvalPage } from './pages/approval-page.ts';
import { connectPages } from './pages/connect-pages.ts';
import { docs } from './pages/docs.ts';
import { download } from './pages/download.ts';
import { ROUTES } from './routes.ts';

/** The HTTP application: what every request passes, then what is mounted, top to bottom. */
export function createApp(gateway: Gateway): Koa {
  const app = new Koa();
  const limit = openRateLimit(gateway.config.rateLimit);
  // Errors while answering are rendered; what comes here is a client that went away.
  app.on('error', (error) => gateway.logger.debug({ err: error }, 'answer not delivered'));
  app.use(requestId());
  app.use(logRequests(gateway.logger));
  app.use(allowOrigins(gateway.config.corsOrigins));
  app.use(renderErrors(gateway.logger));
  app.use(health(gateway));
  app.use(jwks(gateway));
  app.use(openApi(gateway, ROUTES));
  app.use(docs(gateway, ROUTES));
  app.use(approvalPage(gateway));
  app.use(connectPages(gateway));
  app.use(download(gateway));
  app.use(mcpEndpoint(gateway, limit));
  for (const middleware of mountRoutes(gateway, ROUTES, limit)) app.use(middleware);
  return app;
}
