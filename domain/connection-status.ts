import type { ConnectionStatus } from './connection.ts';

const DAY_MS = 86_400_000;

/** What is stored of a connection's health. */
export interface StoredHealth {
  status: ConnectionStatus;
  expiresAt: Date | null;
  /** When to begin to warn of `expiresAt`; null where access renews itself or has no known end. */
  expiringAt: Date | null;
}

/**
 * The status at a moment (decisions section 2, Connections): an active connection whose access ends by itself is EXPIRING from
 * `expiringAt` on, and in ERROR from `expiresAt` on, because it needs reconnecting.
 */
export function statusAt({ status, expiringAt, expiresAt }: StoredHealth, now: Date): ConnectionStatus {
  if (status !== 'ACTIVE' || expiringAt === null || expiresAt === null) return status;
  if (now >= expiresAt) return 'ERROR';
  return now >= expiringAt ? 'EXPIRING' : 'ACTIVE';
}

/** When to begin to warn that access granted at a moment will end: in the last tenth of its life, and at most seven days ahead. */
export function expiringFrom(grantedAt: Date, expiresAt: Date): Date {
  const lifetimeMs = Math.max(0, expiresAt.getTime() - grantedAt.getTime());
  return new Date(expiresAt.getTime() - Math.min(lifetimeMs / 10, 7 * DAY_MS));
}
