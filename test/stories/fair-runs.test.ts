import { expect, test } from '@jest/globals';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { startedWorkflow } from '../support/code-runs.ts';
import { anOperatorCode } from '../support/operator-codes.ts';
import { patientDatabase } from '../support/patient-database.ts';
import { system } from '../support/system.ts';
import { aPolicy, aServer, aTenant, type Tenant } from '../support/tenant.ts';
import { until } from '../support/until.ts';

/** More runs than a worker of the test system executes at a time for one organization. */
const MANY = 40;
const SLEEP = 'await new Promise((resolve) => setTimeout(resolve, 120_000))';

test('many long runs of one organization delay neither decisions nor the runs of others', async () => {
  const [greedy, modest] = await Promise.all([aTenant(), aTenant()]);
  const [server, other] = await Promise.all([aServer(greedy, 'CODE', []), aServer(modest, 'CODE', [])]);
  const { databaseUrl, temporalAddress, temporalNamespace: namespace, taskQueue } = await system();
  const db = patientDatabase(databaseUrl);
  const connection = await Connection.connect({ address: temporalAddress });
  const temporal = new Client({ connection, namespace });
  const begun = async () =>
    Number((await db('code_runs').where({ org_id: greedy.orgId }).where('pass_number', '>', 0).count({ total: '*' }).first())!.total);
  try {
    const runs = Array.from({ length: MANY }, () => greedy.api.post(`/api/v1/mcp/servers/${server.id}/execute-code`, { code: SLEEP }));
    await until(async () => (await begun()) > 0);
    const answer = await modest.api.post(`/api/v1/mcp/servers/${other.id}/execute-code`, { code: 'return 1' });
    expect(answer).toMatchObject({ status: 200, body: { structuredContent: { status: 'executed', output: 1 } } });
    expect(await begun()).toBeLessThan(MANY);

    const approvalId = await aPendingApproval(modest);
    const approval = temporal.workflow.getHandle(`approval/${approvalId}`);
    await approval.signal('approve', { code: await anOperatorCode(approvalId) });
    expect(await approval.result()).toBe('approved');
    const { id } = await db('code_runs').where({ org_id: greedy.orgId }).where('pass_number', '>', 0).first('id');
    const run = await startedWorkflow(temporal, id);
    await until(async () => (await queuesOf(run)).activities.size > 0);
    // Temporal can hand out an activity with the answer to its workflow task, because both use one
    // queue. Passes do not delay decisions, which are local activities.
    expect([await queuesOf(run), await queuesOf(approval)]).toEqual([
      { workflow: taskQueue, activities: new Set([taskQueue]) },
      { workflow: taskQueue, activities: new Set() },
    ]);

    await greedy.api.must(200).delete(`/api/v1/mcp/servers/${server.id}`);
    const ends = await Promise.all(runs);
    expect(ends.map(({ body }) => body.isError ?? body.code)).not.toContain(false);
  } finally {
    await db.destroy();
    await connection.close();
  }
});

async function aPendingApproval(tenant: Tenant): Promise<string> {
  await aPolicy(tenant, { integrationNames: ['datetime'] });
  const { workspaceId } = tenant;
  const call = { workspaceId, integrationName: 'datetime', actionName: 'parse_date', input: { dateString: '2026-01-01' } };
  return (await tenant.api.must(202).post('/api/v1/actions/execute', call)).approval.id;
}

async function queuesOf(workflow: WorkflowHandle) {
  const { events } = await workflow.fetchHistory();
  const start = events!.find((event) => event.workflowExecutionStartedEventAttributes)!.workflowExecutionStartedEventAttributes!;
  const activities = events!.flatMap((event) => event.activityTaskScheduledEventAttributes?.taskQueue?.name ?? []);
  return { workflow: start.taskQueue!.name, activities: new Set(activities) };
}
