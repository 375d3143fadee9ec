import { countRunningCodeRuns } from '../../../../store/code-runs.ts';
import { countCustomIntegrations } from '../../../../store/custom-integrations.ts';
import { countMcpServers } from '../../../../store/mcp-servers.ts';
import { findStorageUsage } from '../../../../store/storage-quota.ts';
import type { Screen, Visit } from '../screen.ts';

/** Shows how much of each quota the organization uses. */
export const quotaScreen: Screen = {
  ...{ path: '/settings/quotas', role: 'viewer', navigation: 'Settings', settings: 'Quotas' },
  get: async (visit) => ({ title: 'Settings', template: 'settings/quotas', data: { quotas: await readQuotas(visit) } }),
};

interface ShownQuota {
  name: string;
  sentence: string;
  used: number;
  limit: number | undefined;
  /** The meter warns from this value. */
  high: number;
}

const MIB = 1024 * 1024;

async function readQuotas({ gateway: { db, config }, member: { orgId } }: Visit): Promise<ShownQuota[]> {
  const { mcpServers, codeRuns, customIntegrations, storageBytes } = config.quotas;
  const [servers, runs, integrations, storage] = await Promise.all([
    countMcpServers(db, orgId),
    countRunningCodeRuns(db, orgId),
    countCustomIntegrations(db, orgId),
    findStorageUsage(db, orgId),
  ]);
  const stored = (Number(storage.contentBytes) + Number(storage.nameBytes)) / MIB;
  return [
    quota('MCP servers', servers, mcpServers),
    quota('Code runs, running or queued', runs, codeRuns),
    quota('Imported integrations', integrations, customIntegrations),
    quota('Files and key-value entries, in MB', stored, storageBytes === undefined ? undefined : storageBytes / MIB),
  ];
}

function quota(name: string, used: number, limit: number | undefined): ShownQuota {
  const show = (number: number) => number.toLocaleString('en', { maximumFractionDigits: 1 });
  const sentence = limit === undefined ? `${show(used)}. There is no limit.` : `${show(used)} of ${show(limit)}.`;
  const isFull = limit !== undefined && used >= limit;
  return { name, sentence: isFull ? `${sentence} The quota is full.` : sentence, used, limit, high: (limit ?? 0) * 0.9 };
}
