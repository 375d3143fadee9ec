import { admin } from '../standalone/run-admin.ts';
import { aReceiver, type Receiver } from '../support/receiver.ts';
import { aPolicy, aServer, aTenant, type Tenant } from '../support/tenant.ts';
import { until } from '../support/until.ts';

let tenant: Tenant;
let upstream: Receiver;
beforeEach(async () => {
  [tenant, upstream] = await Promise.all([aTenant(), aReceiver()]);
});
afterEach(() => upstream.close());

const trail = async (query = '') =>
  (await tenant.api.must(200).get(`/api/v1/activity?limit=100${query}`)).activity.reverse() as Record<string, unknown>[];
const typesOf = (rows: Record<string, unknown>[]) => rows.map(({ type }) => type);

test('the activity log has each approval request, decision, gated call and blocked call of a code run', async () => {
  const { id } = await aServer(tenant, 'CODE', ['http', 'hash-encode', 'datetime']);
  await aPolicy(tenant, { integrationNames: ['http'] });
  await aPolicy(tenant, { integrationNames: ['datetime'], decision: 'block' });
  const run = async (body: object) => (await tenant.api.must(200).post(`/api/v1/mcp/servers/${id}/execute-code`, body)).structuredContent;
  const approve = (approvalId: string) => tenant.api.must(200).post(`/api/v1/approvals/${approvalId}/approve`);

  const send = (path: string) => `svc.http.send_request({ method: 'POST', url: ${path}, body_type: 'json', body: {} })`;
  const code = `const { digest } = await svc.hash_encode.hash({ text: 'x' });
    for (const part of ['a', 'b']) await ${send(`'${upstream.url}/' + part`)};
    const refused = await svc.datetime.parse_date({ dateString: '2026-01-01' }).catch((error) => error.code);
    await svc['ht' + 'tp'].send_request({ method: 'POST', url: '${upstream.url}/' + digest, body_type: 'json', body: {} });
    return refused;`;
  let answer = await run({ code });
  const approvals: string[] = [];
  while (answer.status === 'approval_required') {
    approvals.push(answer.continuation.arguments.approvalId);
    await approve(approvals.at(-1)!);
    answer = await run({ approvalId: approvals.at(-1), waitForApprovalSeconds: 20 });
  }
  expect(answer).toMatchObject({ status: 'executed', output: 'APPROVAL_POLICY_BLOCKED' });
  expect(upstream.received).toHaveLength(3);

  const rows = (await trail()).filter(({ codeRunId }) => codeRunId !== null);
  const [first] = rows;
  expect(typesOf(await trail(`&codeRunId=${first!.codeRunId}`))).toEqual(typesOf(rows));
  expect(first).toMatchObject({ type: 'approval.requested', codeRunId: expect.stringMatching(/^crun_/) });
  const made = rows.filter(({ type }) => type === 'approval.consumed' || type === 'call.let_through');
  expect(new Set(made.map(({ callId }) => callId)).size).toBe(3);
  expect(made.every(({ approvalId }) => approvals.includes(approvalId as string))).toBe(true);
  for (const approvalId of approvals) {
    const steps = typesOf(rows.filter((row) => row.approvalId === approvalId && String(row.type).startsWith('approval.')));
    expect(steps).toEqual(['approval.requested', 'approval.approved', 'approval.consumed']);
  }
  expect(typesOf(rows).filter((type) => type === 'call.blocked')).toHaveLength(1);
  expect(await admin('verify-audit', '--org', tenant.orgId)).toMatchObject({ code: 0, stderr: '' });
});

test('the activity log has each attempt of a webhook delivery, in a valid chain', async () => {
  upstream.answerWith(() => ({ status: upstream.received.length === 1 ? 500 : 204 }));
  const { id: policyId } = await aPolicy(tenant, { approvers: [{ type: 'webhook', webhookUrl: `${upstream.url}/hook` }] });
  const call = { integrationName: 'hash-encode', actionName: 'hash', workspaceId: tenant.workspaceId, input: { text: 'x' } };
  const { approval } = await tenant.api.must(202).post('/api/v1/actions/execute', call);
  await upstream.has(2);
  await tenant.api.must(200).post(`/api/v1/approvals/${approval.id}/approve`);
  await upstream.has(3);
  await tenant.api.must(200).delete(`/api/v1/approval-policies/${policyId}`);

  const attempts = async () => (await trail(`&approvalId=${approval.id}`)).filter(({ deliveryId }) => deliveryId !== null);
  const made = await until(async () => {
    const all = await attempts();
    return all.length === 3 && all;
  });
  expect(made.map(({ type, details }) => [type, details])).toEqual([
    ['webhook.attempt_failed', expect.objectContaining({ event: 'approval.requested', attempt: 1, httpStatus: 500 })],
    ['webhook.delivered', expect.objectContaining({ event: 'approval.requested', attempt: 2, httpStatus: 204 })],
    ['webhook.delivered', expect.objectContaining({ event: 'approval.approved', attempt: 1, httpStatus: 204 })],
  ]);

  const { code, stdout, stderr } = await admin('verify-audit', '--org', tenant.orgId);
  const whole = await trail();
  const head = whole.reduce((last, row) => (Number(row.position) > Number(last.position) ? row : last));
  expect([code, stdout, stderr]).toEqual([0, `${tenant.orgId}: ${whole.length} rows, head ${head.position}:${head.hash}\n`, '']);
});
