import type { Gateway } from '../commands/gateway.ts';
import { reconcile } from '../commands/outbox/reconcile.ts';
import { startRepeating } from './start-repeating.ts';

const INTERVAL_MS = 5000;

/** Reconciles now and every five seconds, one round at a time, until stopped. */
export function startReconciling(gateway: Gateway): { stop(): Promise<void> } {
  return startRepeating(INTERVAL_MS, () => reconcile(gateway));
}
