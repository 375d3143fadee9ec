import { resolve } from 'node:path';
import { type Config, changedVariables, isRunByNpm, readConfig, SetupError } from '../infra/config.ts';
import { developmentWarnings } from '../infra/development-warnings.ts';
import { trimMemoryAfterStart } from '../infra/trim-memory.ts';
import { endWithLauncher } from './end-with-launcher.ts';
import { sandboxWarnings } from './sandbox-warnings.ts';
import { createSupervisor, type Ready } from './supervisor.ts';

const SECRETS = ['ENCRYPTION_KEYS', 'TOKEN_PEPPER', 'RECEIPT_SIGNING_KEY'];

/** npm start: runs everything on this machine until Ctrl-C. */
try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof SetupError ? error.message : (error as Error).stack}\n`);
  process.exit(1);
}

async function main(): Promise<void> {
  const config = readConfig();
  const supervisor = createSupervisor(config, say);
  let ending: Promise<void> | undefined;
  const end = () => {
    ending ??= supervisor.stop();
    return ending;
  };
  const endOnRequest = () => {
    if (!ending) say('Stopping');
    end().then(() => {
      say('Stopped.');
      process.exit(0);
    });
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, endOnRequest);
  if (isRunByNpm()) endWithLauncher(endOnRequest);
  process.stdout.on('error', () => {}); // the terminal may close before we end

  try {
    announce(config, await supervisor.start());
    trimMemoryAfterStart();
    for (const warning of developmentWarnings(config)) say(warning);
    const missing = await sandboxWarnings();
    for (const warning of missing) say(warning);
    if (missing.length > 0) say('Sandbox: npm run selftest explains each missing confinement and its remedy.');
  } catch (error) {
    if (ending) return; // the failure is caused by the stop
    await end();
    throw error;
  }
}

function announce({ dataDir }: Config, { apiUrl, dashboardUrl, temporalUi, firstKey, setupLink }: Ready): void {
  say('\nReady.');
  say(`  API          ${apiUrl}`);
  say(`  Dashboard    ${dashboardUrl}`);
  say(`  Temporal UI  ${temporalUi ?? 'belongs to the Temporal server of TEMPORAL_ADDRESS; set TEMPORAL_UI_URL to show its address here'}`);
  say(`  Data folder  ${resolve(dataDir)}`);
  const changed = changedVariables();
  if (changed.length > 0) say(`  Set          ${changed.join(' ')}`);
  if (firstKey)
    say(`  First key    ${firstKey}  (shown this once; npm run --silent admin -- create-key --name NAME --decide makes another)`);
  if (setupLink) say(`  Set up       ${setupLink}  (makes the first owner of the dashboard; 24 hours, once)`);
  say(`Next: npm run demo, in another terminal${sameVariables(changed)}. Ctrl-C stops everything.`);
}

function sameVariables(changed: readonly string[]): string {
  const isSet = (name: string) => changed.some((variable) => variable.startsWith(`${name}=`));
  if (['DATABASE_URL', ...SECRETS].some(isSet)) return ', with the same variables';
  return isSet('DATA_DIR') ? ', with the same DATA_DIR' : '';
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
