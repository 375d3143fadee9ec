import { type Answer, aCodeServer, type CodeServer, openBehind } from '../../support/code-runs.ts';
import { aReceiver, type Receiver } from '../../support/receiver.ts';
import { aPolicy, aTenant, type Tenant } from '../../support/tenant.ts';

// Specification 3.2 and contract decisions 4.

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
const gatedByTwo = async (): Promise<[string, string]> => {
  await aPolicy(tenant, { integrationNames: ['http'], name: 'Sending' });
  await aPolicy(tenant, { integrationNames: ['kv-store'], name: 'Keeping' });
  const { approvals } = await server.run({ code: `await svc.kv_store.put({ key: 'k', value: 1 }); return ${post()}` });
  return approvals.map(({ id }: { id: string }) => id);
};
const decide = (id: string, decision: string, body: object = {}) => tenant.api.must(200).post(`/api/v1/approvals/${id}/${decision}`, body);

describe('3.2 executed', () => {
  test('a finished run has output, logs and actionsExecuted', async () => {
    expect(await server.execute({ code: "console.log('x'); return { a: 1 }" })).toMatchObject({
      isError: false,
      structuredContent: { status: 'executed', output: { a: 1 }, logs: [{ message: 'x' }], actionsExecuted: 0 },
    });
  });

  test('the result is final: every later continuation returns it, and nothing runs again', async () => {
    const [one, two] = await gatedByTwo();
    for (const id of [one, two]) await decide(id, 'approve');
    const done = await server.execute({ approvalId: two });
    expect(done.structuredContent).toMatchObject({ status: 'executed', output: 200, actionsExecuted: 2 });
    for (const approvalId of [one, two]) expect(await server.execute({ approvalId })).toEqual(done);
    for (const id of [one, two]) expect((await tenant.api.post(`/api/v1/approvals/${id}/reject`)).status).toBe(409);
    expect(await server.execute({ approvalId: one, waitForApprovalSeconds: 60 })).toEqual(done);
    expect(upstream.received).toHaveLength(1);
  });

  test('a continuation returns the result for 24 hours, and then an error that names this time', async () => {
    const { approval } = await gatedByOne();
    await decide(approval.id, 'approve');
    await server.run({ approvalId: approval.id });
    const ended = (hours: number) =>
      behind
        .db('code_runs')
        .where({ mcp_server_id: server.id })
        .update({ finished_at: behind.db.raw("now() - ? * interval '1 hour'", [hours]) });
    const path = `/api/v1/mcp/servers/${server.id}/execute-code`;
    await ended(23.99);
    expect((await tenant.api.post(path, { approvalId: approval.id })).body.structuredContent.status).toBe('executed');
    await ended(24.01);
    expect(await tenant.api.post(path, { approvalId: approval.id })).toMatchObject({
      status: 410,
      body: { code: 'CODE_RUN_RESULT_EXPIRED', error: expect.stringContaining('24 hours') },
    });
  });
});

describe('3.2 approval_required', () => {
  test('a run that a Human Gate pauses returns an approval id and a continuation', async () => {
    const answer = await gatedByOne();
    expect(answer).toMatchObject({
      status: 'approval_required',
      approval: { id: expect.stringMatching(/^apr_/) },
      continuation: { tool: 'svc_execute', arguments: { approvalId: answer.approval.id } },
    });
    expect(answer.description).toContain('until a person decides about http.send_request. Nothing has run yet.');
    expect(upstream.received).toHaveLength(0);

    const again = await server.run({ code: `return ${post()}` });
    expect(again.description).toContain(`already waits under approval \`${answer.approval.id}\``);
    expect((await server.run({ approvalId: again.approval.id })).description).not.toContain(answer.approval.id);
  });

  test('after the decision, execute-code with only approvalId resumes the stored run', async () => {
    const { continuation } = await gatedByOne();
    await decide(continuation.arguments.approvalId, 'approve');
    expect(await server.run(continuation.arguments)).toMatchObject({ status: 'executed', output: 200 });
  });

  test('a later gate that no plan predicted requires its own, new approval', async () => {
    await aPolicy(tenant, { integrationNames: ['http', 'kv-store'] });
    const code = `const sent = ${post()}; console.log('sent'); const put = (await svc.hash_encode.decode({ encoded: 'cHV0', encoding: 'base64' })).text;
      return [sent, (await svc.kv_store[put]({ key: 'k', value: 1 })).stored]`;
    const first = await server.run({ code });
    await decide(first.approval.id, 'approve');
    const second = await server.run({ approvalId: first.approval.id });
    expect(second).toMatchObject({ status: 'approval_required', view: 'approval_required', title: 'Approval required' });
    expect(second.approval.id).not.toBe(first.approval.id);
    expect(second.description).toContain('a person decides about kv-store.put (line 2). 2 calls have completed and are not undone.');
    expect(second.description).toContain(`\`${first.approval.id}\` is used up: this is another decision.`);
    const { content } = await server.execute({ approvalId: second.approval.id });
    expect(content[0].text).toContain(second.description);
    expect(content[0].text).toMatch(/Logs:\n\n```\nsent\n```$/);
    await decide(second.approval.id, 'approve');
    expect(await server.run({ approvalId: first.approval.id })).toMatchObject({ status: 'executed', output: [200, true] });
    expect(upstream.received).toHaveLength(1);
  });
});

describe('3.2 approval_pending', () => {
  test('while the approval is pending, a continuation returns approval_pending and the next continuation', async () => {
    const { approval } = await gatedByOne();
    const answer = await server.execute({ approvalId: approval.id });
    expect(answer).toMatchObject({
      isError: false,
      structuredContent: {
        ...{ status: 'approval_pending', view: 'approval_pending', title: 'Approval pending', approval: { id: approval.id } },
        continuation: { tool: 'svc_execute', arguments: { approvalId: approval.id } },
      },
    });
    await decide(approval.id, 'approve');
    expect(await server.run({ approvalId: approval.id })).toMatchObject({ status: 'executed' });
  });

  test('while another approval of the run is pending, every continuation names that approval', async () => {
    const [one, two] = await gatedByTwo();
    await decide(one, 'approve');
    for (const approvalId of [one, two]) {
      expect(await server.run({ approvalId })).toMatchObject({
        ...{ status: 'approval_pending', approval: { id: two }, continuation: { arguments: { approvalId: two } } },
        approvalGroup: { total: 2, pending: 1, nextApprovalId: two },
      });
    }
    await decide(two, 'approve');
    expect(await server.run({ approvalId: one })).toMatchObject({ status: 'executed' });
  });
});

describe('endings without a result (contract decisions 4)', () => {
  test.each([
    ['reject', 'approval_rejected', 'APPROVAL_REJECTED'],
    ['cancel', 'approval_canceled', 'APPROVAL_CANCELED'],
  ])('after %s of one approval, a continuation with any approval returns %s and the reason', async (decision, status, code) => {
    const [one, two] = await gatedByTwo();
    await decide(one, decision, { reason: 'not on a Friday' });
    for (const approvalId of [one, two]) {
      const answer = await server.execute({ approvalId });
      expect(answer).toMatchObject({
        isError: true,
        structuredContent: { status, error: { code, message: expect.stringContaining('not on a Friday') }, actionsExecuted: 0 },
      });
      expect(answer.content[0].text).toContain('not on a Friday\n\nNo call has been made.');
    }
    expect((await tenant.api.must(200).get(`/api/v1/approvals/${two}`)).approval.status).toBe('canceled');
    expect(upstream.received).toHaveLength(0);
  });

  test.each([
    ['expire', 'approval_expired', 'APPROVAL_EXPIRED'],
    ['reject', 'approval_rejected', 'APPROVAL_REJECTED'],
  ])('a timeout with defaultOnTimeout %s returns isError true, status %s', async (defaultOnTimeout, status, code) => {
    const { approval } = await gatedByOne({ defaultOnTimeout });
    await behind
      .db('approvals')
      .where({ id: approval.id })
      .update({ expires_at: behind.db.raw("now() - interval '2 minutes'") });
    expect(await server.execute({ approvalId: approval.id, waitForApprovalSeconds: 60 })).toMatchObject({
      isError: true,
      structuredContent: { status, error: { code } },
    });
  });

  test('if an approved approval expires before the run is continued, the run returns approval_expired', async () => {
    const { approval } = await gatedByOne();
    await decide(approval.id, 'approve');
    await behind
      .db('receipts')
      .where({ approval_id: approval.id })
      .update({ expires_at: behind.db.raw("now() - interval '1 second'") });
    expect(await server.execute({ approvalId: approval.id })).toMatchObject({
      isError: true,
      structuredContent: { status: 'approval_expired', error: { code: 'APPROVAL_EXPIRED' } },
    });
    expect(upstream.received).toHaveLength(0);
  });

  test('a failed run returns 200 with the position of the error and the completed actions', async () => {
    expect(await server.execute({ code: `const sent = ${post()};\nnull.x` })).toMatchObject({
      isError: true,
      structuredContent: {
        ...{ status: 'failed', error: { code: 'CODE_ERROR', message: expect.any(String), line: 2, column: expect.any(Number) } },
        ...{ logs: [], actionsExecuted: 1, durationMs: expect.any(Number), timings: { steps: [{ actionName: 'send_request' }] } },
      },
    });
  });
});
