import { openGateway } from '../composition/open-gateway.ts';
import { readConfig, SetupError } from '../infra/config.ts';
import { trimMemoryAfterStart } from '../infra/trim-memory.ts';
import { createApp } from './app.ts';
import { openServer } from './open-server.ts';
import { assets } from './pages/app/assets.ts';

/** npm run api: the HTTP process. */
try {
  const config = readConfig();
  const gateway = openGateway(config, 'api');
  const app = createApp(gateway);
  const server = openServer(app.callback(), gateway.logger);
  server.listen(config.port, config.host, () => {
    gateway.logger.info({ host: config.host, port: config.port }, 'listening');
    assets().catch(() => {}); // after a failure, the first dashboard page builds the assets again
  });
  gateway.receipts.register().catch(() => {}); // after a failure, the first use registers the key
  trimMemoryAfterStart();
  server.on('error', (error: NodeJS.ErrnoException) => {
    const taken = error.code === 'EADDRINUSE' || error.code === 'EACCES';
    console.error(taken ? `${config.host}:${config.port} can't be used (${error.code}). Choose another port with PORT.` : error);
    process.exit(1);
  });

  const stop = () => {
    app.emit('stopping');
    server.close(() => gateway.close().finally(() => process.exit(0)));
    server.closeIdleConnections();
    setTimeout(() => process.exit(0), 5000).unref();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
  process.once('disconnect', stop);
} catch (error) {
  console.error(error instanceof SetupError ? error.message : error);
  process.exit(1);
}
