import type { WaitingApprovals } from '../../../commands/approvals/list-waiting.ts';
import type { Portal, PortalEntry } from '../../../commands/connect/open-portal.ts';
import { instanceName } from '../../../domain/workspace-integration.ts';
import type { Catalog } from '../../../integrations/catalog.ts';
import { isPlan } from '../approval/describe-call.ts';
import { type ConnectionState, stateOf } from '../layout/connection-state.ts';
import { type ShownTime, showTime } from '../layout/show-time.ts';

/** The portal's data of one account. */
export interface ShownEntry {
  key: string;
  name: string;
  description: string;
  state: ConnectionState | { tone: 'quiet'; label: string };
  isConnected: boolean;
  /** False if no connection method is ready. A connected account can still be disconnected. */
  canConnect: boolean;
}

/** An approval that waits for the end user's decision. */
interface ShownWaiting {
  what: string;
  /** The integration. */
  where: string;
  until: ShownTime;
  url: string;
}

export interface PortalView {
  who: string;
  workspace: string;
  waiting: { items: ShownWaiting[]; hasMore: boolean };
  entries: ShownEntry[];
  /** The change just made. */
  news: { tone: 'good' | 'bad'; words: string } | undefined;
  until: ShownTime;
}

/** Context of the portal: the workspace's name, the entry just changed, why an attempt failed. */
export interface PortalSurroundings {
  workspace: string;
  done: unknown;
  problem: string | undefined;
}

export function presentPortal(
  catalog: Catalog,
  { token, entries, waiting }: Portal,
  { workspace, done, problem }: PortalSurroundings,
): PortalView {
  const shown = entries.map(presentEntry);
  return {
    who: token.endUser.displayName ?? token.endUser.externalId,
    workspace,
    waiting: { ...waiting, items: waiting.items.map((item) => presentWaiting(catalog, item)) },
    entries: shown,
    news: problem === undefined ? changed(shown, done) : { tone: 'bad', words: problem },
    until: showTime(token.expiresAt),
  };
}

function presentWaiting(catalog: Catalog, { approval, url }: WaitingApprovals['items'][number]): ShownWaiting {
  const integration = catalog.find(approval.integrationName);
  const what = isPlan(approval) ? 'Run a program' : (integration?.actions.get(approval.actionName)?.displayName ?? approval.actionName);
  return { what, where: integration?.displayName ?? approval.integrationName, until: showTime(approval.expiresAt), url };
}

/** Describes a change. A disconnected account without a workspace integration is not listed. */
function changed(shown: readonly ShownEntry[], done: unknown): PortalView['news'] {
  if (typeof done !== 'string') return undefined;
  const entry = shown.find(({ key }) => key === done);
  const words = entry ? `${entry.name} is ${entry.isConnected ? 'connected' : 'disconnected'} now.` : 'The account is disconnected now.';
  return { tone: 'good', words };
}

/** An entry as people see it. */
export function presentEntry({ key, integration, instance, connection, offers }: PortalEntry): ShownEntry {
  return {
    key,
    name: nameOf({ key, integration, instance, connection }),
    description: integration.description,
    state: connection ? stateOf(connection) : { tone: 'quiet', label: 'Not connected' },
    isConnected: connection !== undefined,
    canConnect: offers.some(({ isReady }) => isReady),
  };
}

/** An account without a workspace integration is distinguished by its own name. */
function nameOf({ key, integration, instance, connection }: Omit<PortalEntry, 'offers'>): string {
  if (instance) return instanceName(instance, integration);
  const { displayName } = integration;
  return key === connection?.id && connection.displayName !== displayName ? `${displayName} (${connection.displayName})` : displayName;
}
