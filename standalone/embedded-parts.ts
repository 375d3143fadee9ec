import type { Config } from '../infra/config.ts';
import { type Postgres, startPostgres } from './embedded-postgres.ts';
import { findProgram } from './find-program.ts';
import { freePort, startOnFreePorts } from './free-port.ts';
import { type InnerPorts, startTemporalServer, type TemporalServer } from './temporal-server.ts';

type Say = (line: string) => void;

/** A Postgres to use: the configured one, or one to start here; what starts it again keeps the port of the first start, which others know. */
export type PostgresPart = { start: (() => Promise<Postgres>) | undefined; url: () => string };

/** Chooses where Postgres comes from. `url` is known once `start` has resolved. */
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
 * A Temporal server to use: the configured one, or one to start here; what starts it again keeps the ports of the first start, which others know.
 * `ports` are all that it has on 127.0.0.1.
 */
export type TemporalPart = {
  start: (() => Promise<TemporalServer>) | undefined;
  address: () => string;
  uiUrl: () => string | undefined;
  ports: () => number[];
};

/**
 * Chooses where Temporal comes from, and fetches its program if it has to be started here and is not on this machine. `address`, `uiUrl`
 * and `ports` are known once `start` has resolved.
 */
export async function embedTemporal(
  { temporal, cacheDir }: Pick<Config, 'temporal' | 'cacheDir'>,
  dataDir: string,
  say: Say,
): Promise<TemporalPart> {
  const { address: given, port: wanted, uiPort: wantedUi, namespace } = temporal;
  if (given) return { start: undefined, address: () => given, uiUrl: () => temporal.uiUrl, ports: () => [] };
  const command = await findProgram('temporal', { cacheDir, say });
  const choose = async (): Promise<[number, number]> => {
    const port = await freePort(wanted);
    return [port, await freePort(wantedUi === port ? port + 1 : wantedUi)];
  };
  let running: TemporalServer | undefined;
  const startAt = (port: number, uiPort: number, innerPorts?: InnerPorts) =>
    startTemporalServer({ command, dataDir, port, uiPort, namespace, ...(innerPorts && { innerPorts }) });
  const startFirst = (port: number, uiPort: number) => {
    say(`Starting Temporal on 127.0.0.1:${port}${insteadOf(wanted, port)}, its UI on ${uiPort}${insteadOf(wantedUi, uiPort)}`);
    return startAt(port, uiPort);
  };
  const start = async () => {
    running = running ? await startAt(running.port, running.uiPort!, running.innerPorts) : await startOnFreePorts(choose, startFirst);
    return running;
  };
  return {
    start,
    address: () => running?.address ?? '',
    uiUrl: () => temporal.uiUrl ?? running?.uiUrl,
    ports: () => (running ? [running.port, running.uiPort!, ...running.innerPorts] : []),
  };
}

function insteadOf(wanted: number, port: number): string {
  return wanted === port ? '' : ` (${wanted} is taken)`;
}
