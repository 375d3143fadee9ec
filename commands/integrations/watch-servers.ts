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

const MAX_WATCHES = 100;
/** Only the process with the lease listens to an MCP server. */
const LEASE_SECONDS = 30;
/** Every connection is replaced after this time, even if it works. */
const RECONNECT_MS = 5 * 60_000;
/** Time between two refreshes that one MCP server causes. */
const PAUSE_MS = 5_000;
const REFRESHES = { maxConcurrent: 4, maxPerTenant: 1, reserved: 0 } as const;

/** The wait doubles with each consecutive failure, up to `RECONNECT_MS`. */
const FIRST_RETRY_MS = 1_000;
/** A connection that ended earlier counts as a failure. */
const STABLE_MS = 60_000;

interface Watch {
  listening: Promise<Listening | undefined>;
  since: number;
}

/** The connections of one process to MCP servers that announce changes of their tools. */
export interface ServerWatches {
  /** Renews leases, opens and replaces connections, and closes those whose lease is lost. */
  turn(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Listens to MCP servers, each from one process at a time. Each announcement causes a refresh, and
 * so does a connection that does not replace another. The changes that a refresh finds wait for a
 * decision (import contract 5).
 */
export function openServerWatches(gateway: Gateway): ServerWatches {
  const owner = randomUUID();
  const refreshes = new FairScheduler(REFRESHES);
  const watches = new Map<string, Watch>();
  const failures = new Map<string, { count: number; until: number }>();

  /** Opens a connection before it closes the replaced connection, so no announcement is missed. */
  const begin = async (record: CustomIntegration, replaced?: Watch): Promise<void> => {
    const { id } = record;
    const refresh = refresher(gateway, record, refreshes);
    const watch: Watch = { since: performance.now(), listening: listen(gateway, record, refresh) };
    watches.set(id, watch);
    const listening = await watch.listening.catch(() => 'failed' as const);
    void closeWatch(replaced);
    if (listening === undefined || watches.get(id) !== watch) return;
    if (listening !== 'failed') {
      if (!replaced) refresh();
      await listening.ended;
    }
    if (watches.get(id) !== watch) return;
    watches.delete(id);
    const lasted = performance.now() - watch.since;
    const count = listening !== 'failed' && lasted > STABLE_MS ? 0 : (failures.get(id)?.count ?? 0);
    failures.set(id, { count: count + 1, until: performance.now() + Math.min(FIRST_RETRY_MS * 2 ** count, RECONNECT_MS) });
    await closeWatch(watch);
  };
  const end = (id: string): Promise<void> => {
    const watch = watches.get(id);
    watches.delete(id);
    return closeWatch(watch);
  };
  return {
    async turn() {
      const held = await leaseWatches(gateway.db, { owner, leaseSeconds: LEASE_SECONDS, limit: MAX_WATCHES });
      const ids = new Set(held.map(({ id }) => id));
      for (const id of failures.keys()) if (!ids.has(id)) failures.delete(id);
      // Does not wait: a silent MCP server must not delay other MCP servers.
      for (const id of watches.keys()) if (!ids.has(id)) void end(id);
      const now = performance.now();
      for (const record of held) {
        const watch = watches.get(record.id);
        const isDue = watch ? watch.since < now - RECONNECT_MS : now >= (failures.get(record.id)?.until ?? 0);
        if (isDue) void begin(record, watch);
      }
    },
    close: async () => void (await Promise.all([...watches.keys()].map(end))),
  };
}

async function closeWatch(watch: Watch | undefined): Promise<void> {
  const listening = await watch?.listening.catch(() => undefined);
  await listening?.close();
}

/** All calls during a refresh and the pause after it together cause one further refresh. */
function refresher(gateway: Gateway, record: CustomIntegration, refreshes: FairScheduler): () => void {
  const refresh = coalesceCalls(async () => {
    const read = () => refreshOwnIntegration(gateway, record, { detectedBy: 'list_changed' });
    await refreshes
      .run({ tenantId: record.orgId }, read)
      .catch((error) => gateway.logger.warn({ integrationId: record.id, error: String(error) }, 'integration refresh failed'));
    await delay(PAUSE_MS, undefined, { ref: false });
  });
  return () => void refresh();
}

/** Undefined if the MCP server announces no changes. Scheduled refreshes then find the changes. */
async function listen(gateway: Gateway, record: CustomIntegration, onChange: () => void): Promise<Listening | undefined> {
  const { logger, outbound } = gateway;
  try {
    const { listenForChanges } = await import('../../integrations/custom/mcp/listen-for-changes.ts'); // loads the client
    const url = String(record.head.baseUrl);
    return await listenForChanges({ url, headers: await headersFor(gateway, record, url), outbound, onChange });
  } catch (error) {
    const thrown = error instanceof Error ? error.name : typeof error;
    logger.info({ integrationId: record.id, thrown }, 'listening to the MCP server of an integration failed');
    throw error;
  }
}

/** No headers if `url` has another origin than the URL of the import. */
async function headersFor(gateway: Gateway, record: CustomIntegration, url: string): Promise<Readonly<Record<string, string>>> {
  const imported = (record.settings as ImportSettings).url;
  if (imported === null || URL.parse(imported)?.origin !== URL.parse(url)?.origin) return {};
  return headersOf(await openFetchSecrets(gateway, record));
}
