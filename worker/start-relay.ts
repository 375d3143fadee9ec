import type { Gateway } from '../commands/gateway.ts';
import { relayOutbox } from '../commands/relay-outbox.ts';

const EVERY_MS = 5000;

/** Sweeps the outbox now and every five seconds, until stopped. A sweep that fails is tried again at the next turn. */
export function startRelay(gateway: Gateway): { stop(): Promise<void> } {
  let sweeping = Promise.resolve();
  const sweep = () => {
    sweeping = sweeping
      .then(() => relayOutbox(gateway))
      .then((told) => told > 0 && gateway.logger.info({ told }, 'relay: told Temporal what it had missed'))
      .catch((error) => gateway.logger.warn({ error: String(error) }, 'relay: not now'))
      .then(() => undefined);
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
