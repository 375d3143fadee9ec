import { TestWorkflowEnvironment } from '@temporalio/testing';
import { openDatabase } from '../../infra/database.ts';
import { aReceiver } from '../support/receiver.ts';
import { type OwnSystem, startSystem, timeSkippingServerPath } from '../support/system.ts';
import { aPolicy, aServer, aTenant, type Tenant } from '../support/tenant.ts';

const START_MS = 60_000;

let temporal: TestWorkflowEnvironment;
let own: OwnSystem;
let tenant: Tenant;

beforeAll(async () => {
  temporal = await TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: 'existing-path', path: await timeSkippingServerPath() } },
  });
  own = await startSystem({ env: { TEMPORAL_ADDRESS: temporal.address } });
  tenant = await aTenant(own);
}, START_MS);
afterAll(async () => {
  await own?.stop();
  await temporal?.teardown();
});

/** The database's clock does not skip: the approval's time is up because its row says so; the workflow's timer is skipped to. */
async function letTimePass(approvalId: string, hours: number): Promise<void> {
  const db = openDatabase({ url: own.databaseUrl, name: 'test', maxConnections: 1 });
  await db('approvals').where({ id: approvalId }).update({ expires_at: db.fn.now() });
  await db.destroy();
  await temporal.sleep(`${hours} hours`);
}

const detail = async (id: string) => (await tenant.api.must(200).get(`/api/v1/approvals/${id}`)).approval;

test.each([
  ['expire', 'expired'],
  ['reject', 'rejected'],
])(
  'nobody decides, defaultOnTimeout %s: the approval is %s, its webhook is told, and deciding comes too late',
  async (defaultOnTimeout, status) => {
    const receiver = await aReceiver();
    const policy = await aPolicy(tenant, {
      integrationNames: ['datetime'],
      timeoutSeconds: 3600,
      defaultOnTimeout,
      approvers: [{ type: 'webhook', webhookUrl: receiver.url }],
    });
    const call = {
      integrationName: 'datetime',
      actionName: 'parse_date',
      workspaceId: tenant.workspaceId,
      input: { dateString: '2026-01-01' },
    };
    const { approval } = await tenant.api.must(202).post('/api/v1/actions/execute', call);
    await receiver.has(1);
    await letTimePass(approval.id, 2);

    const [, expired] = await receiver.has(2);
    expect(JSON.parse(expired!.body)).toMatchObject({ event: 'approval.expired', approval: { status }, receipt: null });
    expect(await detail(approval.id)).toMatchObject({ status, decidedByType: 'timeout', decidedById: null });
    expect(await tenant.api.post(`/api/v1/approvals/${approval.id}/approve`)).toMatchObject({
      status: 409,
      body: { code: 'APPROVAL_EXPIRED' },
    });
    expect((await tenant.api.must(202).post('/api/v1/actions/execute', call)).approval.id).not.toBe(approval.id);
    await tenant.api.must(200).delete(`/api/v1/approval-policies/${policy.id}`);
    await receiver.close();
  },
);

test('a code run whose approval nobody decides ends with it', async () => {
  const { id } = await aServer(tenant, 'CODE', ['hash-encode']);
  await aPolicy(tenant, { integrationNames: ['hash-encode'], defaultOnTimeout: 'expire' });
  const path = `/api/v1/mcp/servers/${id}/execute-code`;
  const { structuredContent } = await tenant.api.must(200).post(path, { code: "return svc.hash_encode.hash({ text: 'x' })" });
  const approvalId: string = structuredContent.approval.id;
  await letTimePass(approvalId, 2);
  expect(await tenant.api.must(200).post(path, { approvalId, waitForApprovalSeconds: 20 })).toMatchObject({
    isError: true,
    structuredContent: { status: 'approval_expired', error: { code: 'APPROVAL_EXPIRED' } },
  });
});
