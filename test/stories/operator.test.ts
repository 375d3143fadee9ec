import { Client, Connection } from '@temporalio/client';
import { anOperatorCode } from '../support/operator-codes.ts';
import { system } from '../support/system.ts';
import { aPolicy, aServer, aTenant, type Tenant } from '../support/tenant.ts';

let connection: Connection;
let temporal: Client;
let tenant: Tenant;

beforeAll(async () => {
  const { temporalAddress, temporalNamespace } = await system();
  connection = await Connection.connect({ address: temporalAddress });
  temporal = new Client({ connection, namespace: temporalNamespace });
});
beforeEach(async () => {
  tenant = await aTenant();
});
afterAll(() => connection.close());

async function aGatedCall(): Promise<string> {
  await aPolicy(tenant, { integrationNames: ['datetime'] });
  const call = {
    integrationName: 'datetime',
    actionName: 'parse_date',
    workspaceId: tenant.workspaceId,
    input: { dateString: '2026-01-01' },
  };
  return (await tenant.api.must(202).post('/api/v1/actions/execute', call)).approval.id;
}

const approvalOf = async (id: string) => (await tenant.api.must(200).get(`/api/v1/approvals/${id}`)).approval;

test("the signal approve with a code decides, and is recorded as an operator's decision", async () => {
  const id = await aGatedCall();
  const workflow = temporal.workflow.getHandle(`approval/${id}`);
  await workflow.signal('approve', { code: await anOperatorCode(id), reason: 'checked' });
  expect(await workflow.result()).toBe('approved');
  expect(await approvalOf(id)).toMatchObject({
    ...{ status: 'approved', decidedByType: 'operator', decidedById: 'root', decisionReason: 'checked' },
  });
});

test.each([
  ['reject', ['not now'], 'rejected', 'not now'],
  ['cancel', [{ reason: 'a mistake' }], 'canceled', 'a mistake'],
])('the signal %s decides without a code, as an unverified operator', async (signal, args, status, decisionReason) => {
  const id = await aGatedCall();
  const workflow = temporal.workflow.getHandle(`approval/${id}`);
  await workflow.signal(signal, ...args);
  expect(await workflow.result()).toBe(status);
  expect(await approvalOf(id)).toMatchObject({ status, decidedByType: 'operator', decidedById: 'unverified', decisionReason });
});

test("an operator's signal after a reviewer's decision changes nothing", async () => {
  const id = await aGatedCall();
  await tenant.api.must(200).post(`/api/v1/approvals/${id}/reject`, { reason: 'first' });
  const workflow = temporal.workflow.getHandle(`approval/${id}`);
  await workflow.signal('approve').catch(() => {});
  expect(await workflow.result()).toBe('rejected');
  expect(await approvalOf(id)).toMatchObject({ status: 'rejected', decidedByType: 'api_key', decisionReason: 'first' });
});

test('the signal cancel ends a waiting code run', async () => {
  const { id } = await aServer(tenant, 'CODE', ['datetime']);
  await aPolicy(tenant, { integrationNames: ['datetime'] });
  const path = `/api/v1/mcp/servers/${id}/execute-code`;
  const { structuredContent } = await tenant.api
    .must(200)
    .post(path, { code: "return svc.datetime.parse_date({ dateString: '2026-01-01' })" });
  const approvalId: string = structuredContent.approval.id;
  const { codeRunId } = (await approvalOf(approvalId)).inputPreview;
  const workflow = temporal.workflow.getHandle(`code-run/${codeRunId}`);
  await workflow.signal('cancel');
  expect(await workflow.result()).toBe('canceled');
  expect(await tenant.api.must(200).post(path, { approvalId })).toMatchObject({
    isError: true,
    structuredContent: { status: 'approval_canceled', error: { code: 'CODE_RUN_CANCELED' } },
  });
  expect(await approvalOf(approvalId)).toMatchObject({ status: 'canceled', decidedByType: 'system' });
});
