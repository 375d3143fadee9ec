import type { ConnectionStatus } from './connection.ts';

const DAY_MS = 86_400_000;

/** The stored fields that determine a connection's status. */
export interface StoredHealth {
  status: ConnectionStatus;
  expiresAt: Date | null;
  /** When the status becomes EXPIRING. Null if access can be refreshed or has no known end. */
  expiringAt: Date | null;
}

/** Returns the status at the time `now` (contract decisions 2, Connections). */
export function statusAt({ status, expiringAt, expiresAt }: StoredHealth, now: Date): ConnectionStatus {
  if (status !== 'ACTIVE' || expiringAt === null || expiresAt === null) return status;
  if (now >= expiresAt) return 'ERROR';
  return now >= expiringAt ? 'EXPIRING' : 'ACTIVE';
}

/**
 * Returns when the status becomes EXPIRING: a tenth of the lifetime before the end, but at most
 * seven days.
 */
export function expiringFrom(grantedAt: Date, expiresAt: Date): Date {
  const lifetimeMs = Math.max(0, expiresAt.getTime() - grantedAt.getTime());
  return new Date(expiresAt.getTime() - Math.min(lifetimeMs / 10, 7 * DAY_MS));
}
