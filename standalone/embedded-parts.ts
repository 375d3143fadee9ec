import type { Config } from '../infra/config.ts';
import { openTemporalApi } from '../infra/temporal-api.ts';
import { type Postgres, startPostgres } from './embedded-postgres.ts';
import { findProgram } from './find-program.ts';
import { freePort, startOnFreePorts } from './free-port.ts';
import { type InnerPorts, startTemporalServer, type TemporalServer } from './temporal-server.ts';
import { openTemporalUi, type TemporalUi } from './temporal-ui.ts';
import { embeddedUiFiles } from './ui-files.ts';

type Say = (line: string) => void;

/** The Postgres of the service. `start` is undefined for a configured one. */
export type PostgresPart = { start: (() => Promise<Postgres>) | undefined; url: () => string };

/**
 * Chooses between the configured and an embedded Postgres. `url` is known once `start` has
 * resolved.
 */
export function embedPostgres(
  { databaseUrl: given, postgresPort: wanted }: Pick<Config, 'databaseUrl' | 'postgresPort'>,
  dataDir: string,
  say: Say,
): PostgresPart {
  if (given) return { start: undefined, url: () => given };
  let running: Postgres | undefined;
  const startFirst = (port: number) => {
    say(`Starting Postgres on 127.0.0.1:${port}${insteadOf(wanted, port)}`);
    return startPostgres({ dataDir, port, say });
  };
  const start = async () => {
    running = running
      ? await startPostgres({ dataDir, port: running.port, say })
      : await startOnFreePorts(async () => [await freePort(wanted)], startFirst);
    return running;
  };
  return { start, url: () => running?.url ?? '' };
}

/**
 * The Temporal server of the service and its UI. `start` is undefined for a configured one.
 * `ports`: all ports on 127.0.0.1.
 */
export type TemporalPart = {
  start: (() => Promise<TemporalServer>) | undefined;
  address: () => string;
  uiUrl: () => string | undefined;
  ports: () => number[];
  close: () => Promise<void>;
};

/**
 * Chooses between the configured and an embedded Temporal server. `address`, `uiUrl` and `ports`
 * are known once `start` has resolved.
 */
export async function embedTemporal(
  { temporal, cacheDir }: Pick<Config, 'temporal' | 'cacheDir'>,
  dataDir: string,
  say: Say,
): Promise<TemporalPart> {
  const { address: given, port: wanted, uiPort: wantedUi, namespace } = temporal;
  if (given) return { start: undefined, address: () => given, uiUrl: () => temporal.uiUrl, ports: () => [], close: async () => {} };
  const command = await findProgram('temporal', { cacheDir, say });
  const choose = async (): Promise<[number, number]> => {
    const port = await freePort(wanted);
    return [port, await freePort(wantedUi === port ? port + 1 : wantedUi)];
  };
  let running: TemporalServer | undefined;
  let ui: TemporalUi | undefined;
  const startAt = (port: number, innerPorts?: InnerPorts) =>
    startTemporalServer({ command, dataDir, port, namespace, ...(innerPorts && { innerPorts }) });
  const startFirst = async (port: number, uiPort: number) => {
    say(`Starting Temporal on 127.0.0.1:${port}${insteadOf(wanted, port)}, its UI on ${uiPort}${insteadOf(wantedUi, uiPort)}`);
    ui = await openTemporalUi({
      ...{ listenHost: '127.0.0.1', port: uiPort, publicUrl: temporal.uiUrl },
      ...{ files: embeddedUiFiles(command, dataDir), api: openTemporalApi(`127.0.0.1:${port}`) },
    });
    return startAt(port).catch(async (error) => {
      await ui?.close();
      throw error;
    });
  };
  const start = async () => {
    running = running ? await startAt(running.port, running.innerPorts) : await startOnFreePorts(choose, startFirst);
    return running;
  };
  return {
    start,
    address: () => running?.address ?? '',
    uiUrl: () => temporal.uiUrl ?? (ui && `http://127.0.0.1:${ui.port}`),
    ports: () => (running && ui ? [running.port, ui.port, ...running.innerPorts] : []),
    close: async () => ui?.close(),
  };
}

function insteadOf(wanted: number, port: number): string {
  return wanted === port ? '' : ` (${wanted} is taken)`;
}
