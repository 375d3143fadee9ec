import type { Config } from '../infra/config.ts';
import { type Postgres, startPostgres } from './embedded-postgres.ts';
import { findProgram } from './find-program.ts';
import { freePort } from './free-port.ts';
import { startTemporalServer, type TemporalServer } from './temporal-server.ts';

type Say = (line: string) => void;

/** A Postgres to use: the configured one, or one to start here, on the same port however often. */
export type PostgresPart = { start: (() => Promise<Postgres>) | undefined; url: () => string };

/** Chooses where Postgres comes from. `url` is known once `start` has resolved. */
export async function embedPostgres(config: Config, dataDir: string, say: Say): Promise<PostgresPart> {
  const given = config.databaseUrl;
  if (given) return { start: undefined, url: () => given };
  const port = await freePort(config.postgresPort);
  say(`Starting Postgres on 127.0.0.1:${port}${insteadOf(config.postgresPort, port)}`);
  let running: Postgres | undefined;
  const start = async () => {
    running = await startPostgres({ dataDir, port, say });
    return running;
  };
  return { start, url: () => running?.url ?? '' };
}

/** A Temporal server to use: the configured one, or one to start here, on the same ports however often. */
export type TemporalPart = { start: (() => Promise<TemporalServer>) | undefined; address: string; uiUrl: string | undefined };

/** Chooses where Temporal comes from, and fetches its program if it has to be started here and is not on this machine. */
export async function embedTemporal({ temporal, cacheDir }: Config, dataDir: string, say: Say): Promise<TemporalPart> {
  if (temporal.address) return { start: undefined, address: temporal.address, uiUrl: temporal.uiUrl };
  const command = await findProgram('temporal', { cacheDir, say });
  const port = await freePort(temporal.port);
  const uiPort = await freePort(temporal.uiPort === port ? port + 1 : temporal.uiPort);
  say(`Starting Temporal on 127.0.0.1:${port}${insteadOf(temporal.port, port)}, its UI on ${uiPort}${insteadOf(temporal.uiPort, uiPort)}`);
  const start = () => startTemporalServer({ command, dataDir, port, uiPort, namespace: temporal.namespace });
  return { start, address: `127.0.0.1:${port}`, uiUrl: temporal.uiUrl ?? `http://127.0.0.1:${uiPort}` };
}

function insteadOf(wanted: number, port: number): string {
  return wanted === port ? '' : ` (${wanted} is taken)`;
}
