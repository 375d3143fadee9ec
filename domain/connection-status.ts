import type { ConnectionStatus } from './connection.ts';

const DAY_MS = 86_400_000;

/** The stored fields that determine a connection's status. */
export interface StoredHealth {
  status: ConnectionStatus;
  expiresAt: Date | null;
  /** When to start warning of `expiresAt`; null if access can be refreshed or has no known end. */
  expiringAt: Date | null;
}

/**
 * The status at a time (contract decisions 2, Connections). An active connection is EXPIRING from
 * `expiringAt` on, and in ERROR from `expiresAt` on, because it then needs reconnecting.
 */
export function statusAt({ status, expiringAt, expiresAt }: StoredHealth, now: Date): ConnectionStatus {
  if (status !== 'ACTIVE' || expiringAt === null || expiresAt === null) return status;
  if (now >= expiresAt) return 'ERROR';
  return now >= expiringAt ? 'EXPIRING' : 'ACTIVE';
}

/**
 * When to start warning of an expiry: in the last tenth of the lifetime, at most seven days before.
 */
export function expiringFrom(grantedAt: Date, expiresAt: Date): Date {
  const lifetimeMs = Math.max(0, expiresAt.getTime() - grantedAt.getTime());
  return new Date(expiresAt.getTime() - Math.min(lifetimeMs / 10, 7 * DAY_MS));
}
