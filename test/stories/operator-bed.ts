import { Client, Connection } from '@temporalio/client';
import type { Db } from '../../infra/database.ts';
import { patientDatabase } from '../support/patient-database.ts';
import { system } from '../support/system.ts';
import { aPolicy, aTenant, type Tenant } from '../support/tenant.ts';
import { until } from '../support/until.ts';

/**
 * Opens a Temporal client and a database for all tests of the file, and a new tenant for each test.
 */
export function useOperatorBed() {
  const bed = {} as { connection: Connection; temporal: Client; db: Db; taskQueue: string; tenant: Tenant };

  beforeAll(async () => {
    const shared = await system();
    bed.taskQueue = shared.taskQueue;
    bed.connection = await Connection.connect({ address: shared.temporalAddress });
    bed.temporal = new Client({ connection: bed.connection, namespace: shared.temporalNamespace });
    bed.db = patientDatabase(shared.databaseUrl);
  });
  beforeEach(async () => {
    bed.tenant = await aTenant();
  });
  afterAll(async () => {
    await bed.db.destroy();
    await bed.connection.close();
  });

  async function aGatedCall(): Promise<string> {
    await aPolicy(bed.tenant, { integrationNames: ['datetime'] });
    const call = { integrationName: 'datetime', actionName: 'parse_date', workspaceId: bed.tenant.workspaceId };
    const input = { dateString: `2026-01-01T00:00:00.${Math.floor(Math.random() * 1e9)}Z` };
    return (await bed.tenant.api.must(202).post('/api/v1/actions/execute', { ...call, input })).approval.id;
  }

  const workflowOf = (id: string) => bed.temporal.workflow.getHandle(`approval/${id}`);
  const approvalOf = async (id: string) => (await bed.tenant.api.must(200).get(`/api/v1/approvals/${id}`)).approval;
  const detailsOf = async (id: string) =>
    (await workflowOf(id).query<{ currentDetails: string }>('__temporal_workflow_metadata')).currentDetails;

  async function isRefused(id: string, start: string): Promise<void> {
    await until(async () => (await detailsOf(id)).includes(`- refused: ${start}`));
    expect((await approvalOf(id)).status).toBe('pending');
  }

  /** Signals are processed in order, so this signal is processed after all earlier signals. */
  async function isSettledBy(id: string, signal: 'reject' | 'cancel', status: string): Promise<void> {
    await workflowOf(id).signal(signal);
    expect(await workflowOf(id).result()).toBe(status);
    expect((await approvalOf(id)).status).toBe(status);
  }

  return { bed, aGatedCall, workflowOf, approvalOf, detailsOf, isRefused, isSettledBy };
}
