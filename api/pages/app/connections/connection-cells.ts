import type { Connection, ConnectionStatus } from '../../../../domain/connection.ts';
import type { Cell } from '../list.ts';

/** Path of the list of connections, below /app. */
export const CONNECTIONS = '/connections';

/** The cell for each status of a connection. */
export const STATUS_CELLS: Record<ConnectionStatus, Extract<Cell, { state: string }>> = {
  ACTIVE: { state: 'Works', tone: 'good' },
  EXPIRING: { state: 'Expires soon', tone: 'waiting' },
  ERROR: { state: 'Broken', tone: 'bad' },
  REVOKED: { state: 'Revoked', tone: 'bad' },
};

/** Who may use an account: the whole organization, a workspace, or a person in a workspace. */
export function whoseCell(
  { scope, workspaceId, endUserId }: Pick<Connection, 'scope' | 'workspaceId' | 'endUserId'>,
  endUserExternalId: string | null,
  workspaces: ReadonlyMap<string, string>,
): Cell {
  if (scope === 'ORGANIZATION') return 'The whole organization';
  const workspace = workspaces.get(workspaceId ?? '') ?? 'A workspace';
  if (endUserId === null) return { href: `/workspaces/${workspaceId}`, text: workspace };
  return { href: `/people/${endUserId}`, text: endUserExternalId ?? 'A person', hint: `in ${workspace}` };
}

/** What is wrong with a connection, and what to do. Undefined for the status ACTIVE. */
export function troubleOf({ status, statusReason }: Pick<Connection, 'status' | 'statusReason'>): string | undefined {
  if (status === 'ACTIVE') return undefined;
  if (status === 'EXPIRING') return 'The access ends soon and can’t be renewed. Reconnect the account before it ends.';
  if (status === 'REVOKED') return 'The access was revoked. Reconnect the account.';
  if (statusReason === null) return 'The access has ended. Reconnect the account.';
  return `The third party refuses the credentials: ${statusReason.replace(/\.$/, '')}. Reconnect the account.`;
}
