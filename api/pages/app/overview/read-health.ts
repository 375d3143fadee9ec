import type { Gateway } from '../../../../commands/gateway.ts';
import type { Outage } from '../../../../commands/news/watch-health.ts';
import { countHealth } from '../../../../store/health-counts.ts';

/** The health of a part of the service, in words. */
export interface Health {
  name: string;
  state: string;
  tone: 'good' | 'bad' | 'quiet';
  /** Path below /app. */
  href?: string;
}

/**
 * The health of the parts of the service. `outage` names the part that is known to be unavailable.
 */
export async function readHealth({ db, orchestrator }: Gateway, orgId: string, outage: Outage | undefined): Promise<Health[]> {
  const [counts, temporal, worker] = await Promise.all([
    countHealth(db, orgId),
    answer(orchestrator.ping().then(() => true)),
    answer(orchestrator.hasWorker()),
  ]);
  const { endpoints, failed, overdue, connections, broken } = counts;
  return [
    { name: 'Database', state: 'Works', tone: 'good' },
    temporal
      ? { name: 'Temporal', state: 'Works', tone: 'good' }
      : { name: 'Temporal', state: 'Not reachable. Decisions are kept and arrive later.', tone: 'bad' },
    workerHealth(temporal === true, outage === 'worker' ? false : worker),
    { name: 'Webhooks', href: failed > 0 ? '/webhooks?status=failed' : '/webhooks', ...webhookHealth(endpoints, failed, overdue) },
    { name: 'Connections', href: '/connections', ...connectionHealth(connections, broken) },
  ];
}

function answer(asked: Promise<boolean>): Promise<boolean | undefined> {
  return asked.catch(() => undefined);
}

function workerHealth(isTemporalThere: boolean, worker: boolean | undefined): Health {
  if (!isTemporalThere || worker === undefined)
    return { name: 'Worker', state: "We can't see the worker without Temporal.", tone: 'quiet' };
  if (worker) return { name: 'Worker', state: 'Works', tone: 'good' };
  return { name: 'Worker', state: 'No worker runs. Webhooks and code runs wait for a worker.', tone: 'bad' };
}

function webhookHealth(endpoints: number, failed: number, overdue: number): Pick<Health, 'state' | 'tone'> {
  if (overdue > 0) return { state: `${overdue} overdue. A worker sends them.`, tone: 'bad' };
  if (failed > 0) return { state: `${failed} failed in the last 24 hours`, tone: 'bad' };
  return endpoints === 0 ? { state: 'None set up', tone: 'quiet' } : { state: 'Works', tone: 'good' };
}

function connectionHealth(connections: number, broken: number): Pick<Health, 'state' | 'tone'> {
  if (connections === 0) return { state: 'None yet', tone: 'quiet' };
  if (broken === 0) return { state: 'Works', tone: 'good' };
  return { state: `${broken} of ${connections} must be connected again`, tone: 'bad' };
}
