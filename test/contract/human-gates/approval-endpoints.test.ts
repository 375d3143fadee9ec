import { checkedCaller } from '../../api/checked-caller.ts';
import { LIMITS } from '../../api/limits-table.ts';
import { copyRow } from '../../support/table-contents.ts';
import { APPROVALS, type Body, type Gates, openGatesBed } from './gates-bed.ts';

let bed: Awaited<ReturnType<typeof openGatesBed>>;
let gates: Gates;
beforeAll(async () => {
  bed = await openGatesBed();
});
afterAll(() => bed?.close());
beforeEach(async () => {
  gates = await bed.enter();
  await gates.policy();
});

const UNKNOWN = 'apr_0000000000000000000000';
const texts = (body: Body) => body.approvals.map(({ inputPreview }: Body) => inputPreview.text);
const list = (query = '') => gates.api.must(200).get(`${APPROVALS}${query}`);

describe('4.5 GET /api/v1/approvals', () => {
  test('answers { approvals, total, nextCursor }, newest first', async () => {
    for (const text of ['1', '2', '3']) await gates.gated({ input: { text } });
    const body = await list();
    expect([Object.keys(body).sort(), body.total, body.nextCursor, texts(body)]).toEqual([
      ['approvals', 'nextCursor', 'total'],
      3,
      null,
      ['3', '2', '1'],
    ]);
  });

  test('the default limit is 50', async () => {
    const { db } = gates.bed.gateway;
    const { id } = await gates.gated();
    await copyRow(db, {
      ...{ table: 'approvals', id, count: 55 },
      changes: { id: "'apr_' || lpad(n::text, 22, '0')", idempotency_key: "'copy ' || n", input_hash: 'md5(n::text)' },
    });
    const body = await list();
    expect([body.approvals.length, body.total, typeof body.nextCursor]).toEqual([50, 56, 'string']);
    expect((await list('?limit=100')).approvals).toHaveLength(56);
  });

  test('limit is from 1 to 100', async () => {
    expect(LIMITS.find(({ request }) => request === 'get approvals')!.bounds.limit).toMatchObject({ min: 1, max: 100 });
    for (const limit of ['0', '101', '1.5', 'x']) expect((await gates.api.get(`${APPROVALS}?limit=${limit}`)).status).toBe(400);
  });

  test('cursor continues after the last approval of the previous page', async () => {
    for (const text of ['1', '2', '3']) await gates.gated({ input: { text } });
    const first = await list('?limit=2');
    const second = await list(`?limit=2&cursor=${first.nextCursor}`);
    expect([texts(first), texts(second), second.nextCursor]).toEqual([['3', '2'], ['1'], null]);
    expect((await gates.api.get(`${APPROVALS}?cursor=x`)).status).toBe(400);
  });

  test.each([
    ['status', 'rejected', 'pending'],
    ['source', 'sdk', 'rest'],
    ['integrationName', 'datetime', 'hash-encode'],
    ['actionName', 'is_business_hours', 'hash'],
  ])('%s is a filter', async (field, one, other) => {
    const { id } = await gates.gated(
      { integrationName: 'datetime', actionName: 'is_business_hours', input: {} },
      { 'x-svc-source': 'sdk' },
    );
    await gates.decide(id, 'reject');
    const { id: second } = await gates.gated();
    const found = async (value: string) => (await list(`?${field}=${value}`)).approvals.map((approval: Body) => approval.id);
    expect([await found(one), await found(other)]).toEqual([[id], [second]]);
  });

  test('workspaceId is a filter', async () => {
    const { workspace } = await gates.api.must(201).post('/api/v1/workspaces', { name: 'other', slug: 'other' });
    await gates.gated();
    const { id } = await gates.gated({ workspaceId: workspace.id });
    expect((await list(`?workspaceId=${workspace.id}`)).approvals).toMatchObject([{ id }]);
    expect((await list()).total).toBe(2);
  });

  test('a workspace key sees only the approvals of its workspaces', async () => {
    const { workspace } = await gates.api.must(201).post('/api/v1/workspaces', { name: 'other', slug: 'other' });
    await gates.gated();
    const { id } = await gates.gated({ workspaceId: workspace.id });
    const permissions = { scope: 'workspace', workspaceIds: [workspace.id] };
    const { plainKey } = await gates.api.must(200).post('/api/v1/api-keys', { name: 'Local', permissions });
    const local = checkedCaller(gates.bed.apiUrl, plainKey);
    expect(await local.must(200).get(APPROVALS)).toMatchObject({ total: 1, approvals: [{ id }] });
    expect(await local.get(`${APPROVALS}?workspaceId=${gates.workspaceId}`)).toMatchObject({ status: 403, body: { code: 'SCOPE_DENIED' } });
  });
});

describe('4.5 GET /api/v1/approvals/{id}', () => {
  test('returns one approval request as { approval }', async () => {
    const { id } = await gates.gated();
    const body = await gates.api.must(200).get(`${APPROVALS}/${id}`);
    expect([Object.keys(body), body.approval.id]).toEqual([['approval'], id]);
  });

  test('includes webhookDeliveries if a webhook approver is configured', async () => {
    await gates.policy({ priority: 1, approvers: [{ type: 'webhook', webhookUrl: 'http://127.0.0.1:9/hook' }] });
    expect((await gates.approval((await gates.gated()).id)).webhookDeliveries).toHaveLength(1);
  });

  test('unknown, malformed and foreign ids all answer the same 404 APPROVAL_NOT_FOUND', async () => {
    const other = await bed.enter();
    await other.policy();
    const foreign = await other.gated();
    const answers = await Promise.all([UNKNOWN, 'x', foreign.id].map((id) => gates.api.get(`${APPROVALS}/${id}`)));
    for (const { status, body } of answers) expect([status, body.code]).toEqual([404, 'APPROVAL_NOT_FOUND']);
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  });
});

describe.each([
  ['approve', 'approved'],
  ['reject', 'rejected'],
  ['cancel', 'canceled'],
] as const)('4.5 POST /api/v1/approvals/{id}/%s', (decision, status) => {
  test('answers { approval, receipt }; only approve returns a receipt, the others null', async () => {
    const { id } = await gates.gated();
    const { body } = await gates.decide(id, decision);
    expect([Object.keys(body).sort(), body.approval.status]).toEqual([['approval', 'receipt'], status]);
    expect(body.receipt).toEqual(decision === 'approve' ? { id: expect.any(String), expiresAt: expect.any(String) } : null);
  });

  test('the body is optional, with or without a content type', async () => {
    expect((await gates.decide((await gates.gated()).id, decision)).status).toBe(200);
    expect((await gates.decide((await gates.gated({ input: { text: 'y' } })).id, decision, {})).status).toBe(200);
  });

  test('reason and metadata are accepted and returned', async () => {
    const { id } = await gates.gated();
    const { body } = await gates.decide(id, decision, { reason: 'because', metadata: { ticket: 7 } });
    expect(body.approval).toMatchObject({ decisionReason: 'because', decisionMetadata: { ticket: 7 }, decidedByType: 'api_key' });
    expect(body.approval.decidedAt).toEqual(expect.any(String));
  });

  test.each([[{ reason: 7 }], [{ metadata: [] }], [{ comment: 'x' }]])('%j is refused', async (body) => {
    const { id } = await gates.gated();
    expect(await gates.decide(id, decision, body)).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
    expect((await gates.approval(id)).status).toBe('pending');
  });

  test('an unknown id answers 404 APPROVAL_NOT_FOUND', async () => {
    expect(await gates.decide(UNKNOWN, decision)).toMatchObject({ status: 404, body: { code: 'APPROVAL_NOT_FOUND' } });
  });

  test('needs normal API authentication: the approval’s link token is refused', async () => {
    const { id, hostedApprovalUrl } = await gates.gated();
    const token = new URL(hostedApprovalUrl).searchParams.get('token')!;
    for (const caller of [checkedCaller(gates.bed.apiUrl), checkedCaller(gates.bed.apiUrl, token)])
      expect((await caller.post(`${APPROVALS}/${id}/${decision}?token=${token}`)).status).toBe(401);
  });
});

describe('4.5 Other requests that name an approval id', () => {
  test('execute-code with an approvalId that is unknown or belongs to another request answers 404 APPROVAL_NOT_FOUND', async () => {
    const { id } = await gates.gated();
    const { id: serverId } = (
      await gates.api.must(201).post('/api/v1/mcp/servers', { name: 'Code', workspaceId: gates.workspaceId, mode: 'CODE' })
    ).server;
    for (const approvalId of [UNKNOWN, id])
      expect(await gates.api.post(`/api/v1/mcp/servers/${serverId}/execute-code`, { approvalId })).toMatchObject({
        status: 404,
        body: { code: 'APPROVAL_NOT_FOUND' },
      });
  });
});
