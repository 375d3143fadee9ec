import type { Connection } from '../../../domain/connection.ts';

/** The state of an account, in words for its owner. */
export interface ConnectionState {
  tone: 'good' | 'bad';
  label: string;
}

/** Says whether an account works or must be reconnected, and why. */
export function stateOf({ status, statusReason }: Pick<Connection, 'status' | 'statusReason'>): ConnectionState {
  return status === 'ACTIVE' || status === 'EXPIRING'
    ? { tone: 'good', label: 'Connected' }
    : { tone: 'bad', label: statusReason ? `Reconnect needed: ${statusReason}` : 'Reconnect needed' };
}
