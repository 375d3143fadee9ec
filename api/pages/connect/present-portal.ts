import type { WaitingApprovals } from '../../../commands/approvals/list-waiting.ts';
import type { Portal, PortalEntry } from '../../../commands/connect/open-portal.ts';
import { instanceName } from '../../../domain/workspace-integration.ts';
import type { Catalog } from '../../../integrations/catalog.ts';
import { isPlan } from '../approval/describe-call.ts';
import { type ConnectionState, stateOf } from '../layout/connection-state.ts';
import { type ShownTime, showTime } from '../layout/show-time.ts';

/** An entry of the portal: an account, or an integration without a connected account. */
export interface ShownEntry {
  key: string;
  name: string;
  description: string;
  state: ConnectionState | { tone: 'quiet'; label: string };
  isConnected: boolean;
  /** False if no connection method is ready. A connected account can still be disconnected. */
  canConnect: boolean;
}

interface ShownWaiting {
  what: string;
  where: string;
  until: ShownTime;
  url: string;
}

/** The data of the page of the portal. */
export interface PortalView {
  who: string;
  workspace: string;
  waiting: { items: ShownWaiting[]; hasMore: boolean };
  entries: ShownEntry[];
  news: { tone: 'good' | 'bad'; words: string } | undefined;
  until: ShownTime;
}

/** What the page shows besides the entries of the portal. */
export interface PortalSurroundings {
  workspace: string;
  /** The key of the entry that was just changed. */
  done: unknown;
  problem: string | undefined;
}

/** Prepares the page of the portal. */
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

/** Says what was just done. A disconnected account without a workspace integration has no entry. */
function changed(shown: readonly ShownEntry[], done: unknown): PortalView['news'] {
  if (typeof done !== 'string') return undefined;
  const entry = shown.find(({ key }) => key === done);
  const words = entry ? `${entry.name} is ${entry.isConnected ? 'connected' : 'disconnected'} now.` : 'The account is disconnected now.';
  return { tone: 'good', words };
}

/** Prepares an entry for a page. */
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

/** Without a workspace integration, the account's name distinguishes entries. */
function nameOf({ key, integration, instance, connection }: Omit<PortalEntry, 'offers'>): string {
  if (instance) return instanceName(instance, integration);
  const { displayName } = integration;
  return key === connection?.id && connection.displayName !== displayName ? `${displayName} (${connection.displayName})` : displayName;
}
