import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { CustomIntegration, ImportSettings } from '../../domain/custom-integrations/custom-integration.ts';
import { coalesceCalls } from '../../infra/concurrency/coalesce-calls.ts';
import { FairScheduler } from '../../infra/concurrency/fair-scheduler.ts';
import { headersOf } from '../../integrations/custom/fetch-document.ts';
import type { Listening } from '../../integrations/custom/mcp/listen-for-changes.ts';
import { leaseWatches } from '../../store/custom-integrations.ts';
import type { Gateway } from '../gateway.ts';
import { refreshOwnIntegration } from './refresh-own-integration.ts';
import { openFetchSecrets } from './seal-fetch-secrets.ts';

/** The maximum number of servers that one process listens to, and the duration of its leases. */
const MAX_WATCHES = 100;
const LEASE_SECONDS = 30;
/** Every connection is replaced after this time, even if it works. */
const RECONNECT_MS = 5 * 60_000;
/** Minimum time between two refreshes of a server, however many changes it announces. */
const PAUSE_MS = 5_000;
/** Refreshes that servers cause, shared fairly among their organizations. */
const REFRESHES = { maxConcurrent: 4, maxPerTenant: 1, reserved: 0 } as const;

interface Watch {
  listening: Promise<Listening | undefined>;
  since: number;
}

/** The connections of one process with MCP servers that announce changes of their tools. */
export interface ServerWatches {
  /** Renews the leases, opens what is missing and closes what another process has. */
  turn(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Listens to MCP servers, each from one process at a time. An announced change starts a refresh at
 * once. The changes that it finds wait for a decision (import contract 5).
 */
export function openServerWatches(gateway: Gateway): ServerWatches {
  const owner = randomUUID();
  const refreshes = new FairScheduler(REFRESHES);
  const watches = new Map<string, Watch>();
  const end = async (id: string): Promise<void> => {
    const watch = watches.get(id);
    watches.delete(id);
    await (await watch?.listening)?.close();
  };
  return {
    async turn() {
      const held = await leaseWatches(gateway.db, { owner, leaseSeconds: LEASE_SECONDS, limit: MAX_WATCHES });
      const ids = new Set(held.map(({ id }) => id));
      const old = performance.now() - RECONNECT_MS;
      const over = [...watches].filter(([id, { since }]) => !ids.has(id) || since < old);
      // Not awaited: a server that does not answer must not delay the others.
      for (const [id] of over) void end(id);
      for (const record of held)
        if (!watches.has(record.id)) watches.set(record.id, { since: performance.now(), listening: listen(gateway, record, refreshes) });
    },
    close: async () => void (await Promise.all([...watches.keys()].map(end))),
  };
}

/** Undefined if the server cannot be listened to. Its scheduled refresh then finds changes. */
async function listen(gateway: Gateway, record: CustomIntegration, refreshes: FairScheduler): Promise<Listening | undefined> {
  const { logger, outbound } = gateway;
  const refresh = coalesceCalls(async () => {
    const read = () => refreshOwnIntegration(gateway, record, { detectedBy: 'list_changed' });
    await refreshes
      .run({ tenantId: record.orgId }, read)
      .catch((error) => logger.warn({ integrationId: record.id, error: String(error) }, 'integration refresh failed'));
    await delay(PAUSE_MS, undefined, { ref: false });
  });
  const onChange = () => void refresh();
  try {
    const { listenForChanges } = await import('../../integrations/custom/mcp/listen-for-changes.ts'); // loads the client
    const url = String(record.head.baseUrl);
    return await listenForChanges({ url, headers: await headersFor(gateway, record, url), outbound, onChange });
  } catch (error) {
    const thrown = error instanceof Error ? error.name : typeof error;
    logger.info({ integrationId: record.id, thrown }, 'listening to the MCP server of an integration failed');
    return undefined;
  }
}

/** The headers and credentials of the import, which are for the origin of its URL alone. */
async function headersFor(gateway: Gateway, record: CustomIntegration, url: string): Promise<Readonly<Record<string, string>>> {
  const imported = (record.settings as ImportSettings).url;
  if (imported === null || URL.parse(imported)?.origin !== URL.parse(url)?.origin) return {};
  return headersOf(await openFetchSecrets(gateway, record));
}
