import { deleteOldRunResults } from '../commands/delete-old-run-results.ts';
import type { Gateway } from '../commands/gateway.ts';
import { relayOutbox } from '../commands/relay-outbox.ts';
import { sealActivity } from '../commands/seal-activity.ts';

const EVERY_MS = 5000;

/** Seals the audit trail, sweeps the outbox and deletes results of code runs whose time is over, now and every five seconds, until stopped. What fails is tried again at the next turn. */
export function startRelay(gateway: Gateway): { stop(): Promise<void> } {
  let sweeping = Promise.resolve();
  const sweep = () => {
    sweeping = sweeping
      .then(() => seal(gateway))
      .then(() => relay(gateway))
      .then(() => deleteOld(gateway));
  };
  sweep();
  const timer = setInterval(sweep, EVERY_MS);
  return {
    stop: () => {
      clearInterval(timer);
      return sweeping;
    },
  };
}

async function seal({ db, logger }: Gateway): Promise<void> {
  await sealActivity(db).catch((error) => logger.warn({ error: String(error) }, 'audit trail: not sealed now'));
}

async function relay(gateway: Gateway): Promise<void> {
  try {
    const told = await relayOutbox(gateway);
    if (told > 0) gateway.logger.info({ told }, 'relay: told Temporal what it had missed');
  } catch (error) {
    gateway.logger.warn({ error: String(error) }, 'relay: not now');
  }
}

async function deleteOld(gateway: Gateway): Promise<void> {
  await deleteOldRunResults(gateway).catch((error) =>
    gateway.logger.warn({ error: String(error) }, 'results of old code runs: not deleted now'),
  );
}
