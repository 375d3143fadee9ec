import { type Answer, aCodeServer, type CodeServer, openBehind } from '../../support/code-runs.ts';
import { aReceiver, type Receiver } from '../../support/receiver.ts';
import { aPolicy, aTenant, type Tenant } from '../../support/tenant.ts';
import { until } from '../../support/until.ts';

// Specification 4.2, waits.

let behind: Awaited<ReturnType<typeof openBehind>>;
let tenant: Tenant;
let upstream: Receiver;
let server: CodeServer;

beforeAll(async () => {
  behind = await openBehind();
});
afterAll(() => behind.close());
beforeEach(async () => {
  [tenant, upstream] = await Promise.all([aTenant(), aReceiver()]);
  server = await aCodeServer(tenant, ['http', 'kv-store', 'hash-encode']);
});
afterEach(() => upstream.close());

const post = (path = '') => `(await svc.http.send_request({ method: 'POST', url: '${upstream.url}/${path}' })).status`;
const gatedByOne = async (policy: object = {}): Promise<Answer> => {
  await aPolicy(tenant, { integrationNames: ['http'], name: 'Sending', ...policy });
  return server.run({ code: `return ${post()}` });
};
const decide = (id: string, decision: string, body: object = {}) => tenant.api.must(200).post(`/api/v1/approvals/${id}/${decision}`, body);

describe('4.2 waits and continuations', () => {
  test('the call answers as soon as the decision is made, also for a rejection', async () => {
    const { approval } = await gatedByOne();
    const waiting = [1, 2, 3].map(() => server.run({ approvalId: approval.id, waitForApprovalSeconds: 60 }));
    await until(() => behind.db('code_runs').where({ mcp_server_id: server.id }).whereNotNull('awaited_until').first());
    await decide(approval.id, 'approve');
    for (const answer of await Promise.all(waiting)) expect(answer).toMatchObject({ status: 'executed', output: 200 });
    expect(upstream.received).toHaveLength(1);

    const again = await server.run({ code: `return ${post()}` });
    const rejected = server.run({ approvalId: again.approval.id, waitForApprovalSeconds: 60 });
    await decide(again.approval.id, 'reject');
    expect(await rejected).toMatchObject({ status: 'approval_rejected' });
  });

  test('settings.codeMode.approvalWaitSeconds is the default wait; waitForApprovalSeconds overrides it', async () => {
    const { approval } = await gatedByOne();
    await tenant.api.must(200).patch(`/api/v1/mcp/servers/${server.id}`, { settings: { codeMode: { approvalWaitSeconds: 60 } } });
    expect(await server.run({ approvalId: approval.id, waitForApprovalSeconds: 0 })).toMatchObject({ status: 'approval_pending' });
    const waiting = server.run({ approvalId: approval.id });
    await until(() => behind.db('code_runs').where({ mcp_server_id: server.id }).whereNotNull('awaited_until').first());
    await decide(approval.id, 'approve');
    expect(await waiting).toMatchObject({ status: 'executed' });
  });

  test('after a wait without a decision, a continuation returns approval_pending; a new run returns approval_required', async () => {
    const { approval } = await gatedByOne();
    const [pending, required] = await Promise.all([
      server.run({ approvalId: approval.id, waitForApprovalSeconds: 1 }),
      server.run({ code: `return [${post()}]`, waitForApprovalSeconds: 1 }),
    ]);
    expect([pending.status, required.status]).toEqual(['approval_pending', 'approval_required']);
  });

  test('an approval that no answer has named yet is returned immediately', async () => {
    await aPolicy(tenant, { integrationNames: ['http'] });
    const decoded = "(await svc.hash_encode.decode({ encoded: 'c2VuZF9yZXF1ZXN0', encoding: 'base64' })).text";
    const code = `for (let n = 0; n < 2; n += 1) await svc.http[${decoded}]({ method: 'POST', url: '${upstream.url}/' + n }); return 1`;
    const { approval } = await server.run({ code });
    await decide(approval.id, 'approve');
    const second = await server.run({ approvalId: approval.id });
    expect(second).toMatchObject({ status: 'approval_required', approval: { id: expect.not.stringContaining(approval.id) } });
    await behind.db('approvals').where({ id: second.approval.id }).update({ announced_at: null });
    const again = await server.run({ approvalId: approval.id, waitForApprovalSeconds: 60 });
    expect(again).toMatchObject({ status: 'approval_required', approval: { id: second.approval.id } });
  });

  test('a call with code and waitForApprovalSeconds waits for the decision on the new approval', async () => {
    await aPolicy(tenant, { integrationNames: ['http'] });
    const waiting = server.run({ code: `return ${post()}`, waitForApprovalSeconds: 60 });
    const { id } = await until(() => behind.db('code_runs').where({ mcp_server_id: server.id }).whereNotNull('awaited_until').first());
    await decide((await behind.db('approvals').where({ code_run_id: id }).first()).id, 'approve');
    expect(await waiting).toMatchObject({ status: 'executed', output: 200 });
  });

  test('an approval alone does not resume a paused run; only a continuation does', async () => {
    const paused = await gatedByOne();
    await decide(paused.approval.id, 'approve');
    const id = await server.lastRunId();
    const workflow = behind.temporal.workflow.getHandle(`code-run/${id}`);
    await until(async () =>
      (await workflow.query<{ currentDetails: string }>('__temporal_workflow_metadata')).currentDetails.startsWith('Approved. Waits'),
    );
    expect(upstream.received).toHaveLength(0);
    expect(await server.run({ approvalId: paused.approval.id })).toMatchObject({ status: 'executed' });
  });

  test('a continuation resumes the stored run; code beside approvalId is refused', async () => {
    const { approval } = await gatedByOne();
    const path = `/api/v1/mcp/servers/${server.id}/execute-code`;
    expect(await tenant.api.post(path, { approvalId: approval.id, code: 'return 1' })).toMatchObject({
      status: 400,
      body: { code: 'INVALID_CODE_EXECUTE_REQUEST' },
    });
    await decide(approval.id, 'approve');
    expect(await server.run({ approvalId: approval.id })).toMatchObject({ status: 'executed', output: 200 });
    expect((await behind.db('code_runs').where({ mcp_server_id: server.id })).length).toBe(1);
  });
});
