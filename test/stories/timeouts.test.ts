import { TestWorkflowEnvironment } from '@temporalio/testing';
import { patientDatabase } from '../support/patient-database.ts';
import { aReceiver, type Receiver } from '../support/receiver.ts';
import { type OwnSystem, startSystem, timeSkippingServerPath } from '../support/system.ts';
import { aPolicy, aServer, aTenant, type Tenant } from '../support/tenant.ts';

const TIMEOUT_MS = 120_000;

test(
  'the timeout of an approval applies its policy, notifies its webhook and ends its run',
  async () => {
    const path = await timeSkippingServerPath();
    const temporal = await TestWorkflowEnvironment.createTimeSkipping({ server: { executable: { type: 'existing-path', path } } });
    const started = { own: undefined as OwnSystem | undefined, receiver: await aReceiver() };
    try {
      started.own = await startSystem({ env: { TEMPORAL_ADDRESS: temporal.address } });
      await nobodyDecides(temporal, started.own, started.receiver);
    } finally {
      await Promise.allSettled([started.own?.stop(), started.receiver.close()]);
      await temporal.teardown();
    }
  },
  TIMEOUT_MS,
);

async function nobodyDecides(temporal: TestWorkflowEnvironment, own: OwnSystem, receiver: Receiver): Promise<void> {
  const tenant = await aTenant(own);

  const gated = {
    expire: await aGatedCall(tenant, 'expire', 'parse_date', receiver.url),
    reject: await aGatedCall(tenant, 'reject', 'format_date', receiver.url),
  };
  const run = await aGatedRun(tenant);
  await receiver.has(2);

  // The test cannot move the database clock, so it moves the deadlines in the rows. For the timers
  // of the workflows, it skips time.
  const db = patientDatabase(own.databaseUrl);
  await db('approvals').where({ status: 'pending' }).update({ expires_at: db.fn.now() });
  await db.destroy();
  await temporal.sleep('61 minutes');

  const told = (await receiver.has(4)).slice(2).map(({ body }) => JSON.parse(body));
  for (const [outcome, status] of [
    ['expire', 'expired'],
    ['reject', 'rejected'],
  ] as const) {
    const { id } = gated[outcome];
    expect(told.find(({ approval }) => approval.id === id)).toMatchObject({
      event: 'approval.expired',
      approval: { status },
      receipt: null,
    });
    expect((await tenant.api.must(200).get(`/api/v1/approvals/${id}`)).approval).toMatchObject({
      status,
      decidedByType: 'timeout',
      decidedById: null,
    });
    expect(await tenant.api.post(`/api/v1/approvals/${id}/approve`)).toMatchObject({ status: 409, body: { code: 'APPROVAL_EXPIRED' } });
    expect((await gated[outcome].again()).id).not.toBe(id);
  }
  expect(await run.continue()).toMatchObject({
    isError: true,
    structuredContent: { status: 'approval_expired', error: { code: 'APPROVAL_EXPIRED' } },
  });
}

async function aGatedCall(tenant: Tenant, defaultOnTimeout: string, actionName: string, webhookUrl: string) {
  await aPolicy(tenant, {
    actionNames: [actionName],
    timeoutSeconds: 3600,
    defaultOnTimeout,
    approvers: [{ type: 'webhook', webhookUrl }],
  });
  const input = actionName === 'parse_date' ? { dateString: '2026-01-01' } : { date: '2026-01-01', format: 'iso' };
  const ask = async () =>
    (
      await tenant.api
        .must(202)
        .post('/api/v1/actions/execute', { integrationName: 'datetime', actionName, workspaceId: tenant.workspaceId, input })
    ).approval;
  return { id: (await ask()).id as string, again: ask };
}

async function aGatedRun(tenant: Tenant) {
  const { id } = await aServer(tenant, 'CODE', ['hash-encode']);
  await aPolicy(tenant, { integrationNames: ['hash-encode'], timeoutSeconds: 3600, defaultOnTimeout: 'expire' });
  const execute = (body: object) => tenant.api.must(200).post(`/api/v1/mcp/servers/${id}/execute-code`, body);
  const { structuredContent } = await execute({ code: "return svc.hash_encode.hash({ text: 'x' })" });
  return { continue: () => execute({ approvalId: structuredContent.approval.id, waitForApprovalSeconds: 20 }) };
}
