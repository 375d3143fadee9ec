import { expect, test } from '@jest/globals';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { patientDatabase } from '../support/patient-database.ts';
import { system } from '../support/system.ts';
import { aPolicy, aServer, aTenant, type Tenant } from '../support/tenant.ts';

/** More than the worker moves on at a time for one organization on the machines that tests run on. */
const MANY = 40;
const SLEEP = 'await new Promise((resolve) => setTimeout(resolve, 120_000))';

test('an organization with many long runs keeps neither a run of another waiting nor what people decide; all of them end when they are canceled', async () => {
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
    while ((await begun()) === 0) await new Promise(setImmediate);
    const answer = await modest.api.post(`/api/v1/mcp/servers/${other.id}/execute-code`, { code: 'return 1' });
    expect(answer).toMatchObject({ status: 200, body: { structuredContent: { status: 'executed', output: 1 } } });
    expect(await begun()).toBeLessThan(MANY);

    const approval = temporal.workflow.getHandle(`approval/${await aPendingApproval(modest)}`);
    await approval.signal('approve');
    expect(await approval.result()).toBe('approved');
    const { id } = await db('code_runs').where({ org_id: modest.orgId }).first('id');
    const run = temporal.workflow.getHandle(`code-run/${id}`);
    // Temporal hands out an activity in the answer to its workflow task where both have one queue; what people decide has another, behind no pass.
    expect([await queuesOf(run), await queuesOf(approval)]).toEqual([
      { workflow: taskQueue, activities: new Set([taskQueue]) },
      { workflow: taskQueue, activities: new Set([`${taskQueue}-decisions`]) },
    ]);

    await greedy.api.must(200).delete(`/api/v1/mcp/servers/${server.id}`);
    const ends = await Promise.all(runs);
    expect(ends.map(({ body }) => body.isError ?? body.code)).not.toContain(false);
  } finally {
    await db.destroy();
    await connection.close();
  }
}, 120_000);

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
