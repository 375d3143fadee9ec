import { type Config, childEnvironment, readConfig, SetupError } from '../infra/config.ts';
import { writeAddresses } from './addresses.ts';
import { assertEncryptionKeys } from './assert-encryption-keys.ts';
import { openDataFolder } from './data-folder.ts';
import { embedPostgres, embedTemporal } from './embedded-parts.ts';
import { createFirstAccess, type FirstAccess } from './first-access.ts';
import { chooseApiPort } from './free-port.ts';
import { apiUrlOf, bundleWorkflows, runMigrations, startProcess, waitUntilReady } from './gateway-processes.ts';
import { type Kept, keepRunning } from './keep-running.ts';
import type { Program } from './run-program.ts';
import { givenSecrets, keepSecrets } from './secrets.ts';

export type Ready = FirstAccess & { apiUrl: string; dashboardUrl: string; temporalUi: string | undefined };

/** `start` resolves when the API is ready. */
export type Supervisor = { start: () => Promise<Ready>; stop: () => Promise<void> };

/**
 * Supervises the API and the worker, and Postgres and Temporal unless their addresses are
 * configured.
 */
export function createSupervisor(config: Config, say: (line: string) => void): Supervisor {
  const kept: Kept<Program>[][] = [];
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => {}); // not awaited yet
  let isReady = false;
  let release = () => {};
  let closeUi = async () => {};

  /** If a part ends before everything is ready, the start fails. Later, the part is restarted. */
  const giveUp = (reason: string) => {
    if (!isReady) failure.reject(new SetupError(reason));
    return !isReady;
  };
  const keepGroup = async (starts: (() => Promise<Program>)[]) => {
    const group: Kept<Program>[] = [];
    kept.push(group);
    await Promise.all(starts.map(async (start) => group.push(await keepRunning(start, { say, giveUp }))));
  };

  const start = async (): Promise<Ready> => {
    const folder = await openDataFolder(config.dataDir, say);
    release = folder.release;
    const dataDir = folder.path;
    const port = await chooseApiPort(config);
    const secrets = keepSecrets(dataDir, givenSecrets(config));

    const bundle = bundleWorkflows(dataDir);
    bundle.catch(() => {}); // reported when the worker awaits it

    const postgres = embedPostgres(config, dataDir, say);
    const temporal = await embedTemporal(config, dataDir, say);
    closeUi = temporal.close;
    await keepGroup([postgres.start, temporal.start].filter((part) => part !== undefined));
    const databaseUrl = postgres.url();
    const temporalUi = temporal.uiUrl();
    const env = childEnvironment({
      ...secrets,
      DATA_DIR: dataDir,
      DATABASE_URL: databaseUrl,
      TEMPORAL_ADDRESS: temporal.address(),
      TEMPORAL_UI_URL: temporalUi,
      OUTBOUND_REFUSE: [...config.outbound.refuse, ...temporal.ports().map((port) => `127.0.0.1:${port}`)].join(','),
      HOST: config.host,
      PORT: String(port),
    });
    const startWorker = async () => startProcess('worker', dataDir, { ...env, WORKFLOW_BUNDLE: await bundle });

    say('Bringing the database up to date');
    await runMigrations(dataDir, env);
    await assertEncryptionKeys(databaseUrl, secrets.ENCRYPTION_KEYS);
    say('Starting the API and the worker');
    await keepGroup([() => startProcess('api', dataDir, env), startWorker]);
    const apiUrl = apiUrlOf(config.host, port);
    await Promise.race([waitUntilReady(apiUrl), failure.promise]);
    isReady = true;
    const { baseUrl, platformUrl, temporal: used } = readConfig(env);
    writeAddresses(dataDir, { apiUrl, temporalUi, baseUrl, platformUrl, temporal: used });
    return { apiUrl, dashboardUrl: `${platformUrl}/app`, temporalUi, ...(await createFirstAccess({ databaseUrl, secrets, platformUrl })) };
  };

  const stop = async () => {
    await closeUi();
    for (const group of kept.toReversed()) await Promise.all(group.map((part) => part.stop()));
    release();
  };
  return { start, stop };
}
