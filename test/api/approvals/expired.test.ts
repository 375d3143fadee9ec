import { type ApiBed, openApiBed } from '../api-bed.ts';

let bed: ApiBed;
beforeAll(async () => {
  bed = await openApiBed();
});
afterAll(() => bed.close());

test.each(['approve', 'reject', 'cancel'])(
  '%s after the expiry time answers APPROVAL_EXPIRED, before and after the timeout is processed',
  async (decision) => {
    const { api, workspaceId } = bed;
    const { policy } = await api.must(200).post('/api/v1/approval-policies', { name: 'x', defaultOnTimeout: 'reject' });
    const { approval } = await api
      .must(202)
      .post('/api/v1/actions/execute', { workspaceId, integrationName: 'hash-encode', actionName: 'hash', input: { text: decision } });
    const path = `/api/v1/approvals/${approval.id}`;
    await bed.gateway
      .db('approvals')
      .where({ id: approval.id })
      .update({ expires_at: new Date(Date.now() - 1000) });
    expect(await api.post(`${path}/${decision}`)).toMatchObject({
      status: 409,
      body: { code: 'APPROVAL_EXPIRED', details: { status: 'pending' } },
    });
    await bed.gateway.db('approvals').where({ id: approval.id }).update({ status: 'rejected', decided_by_type: 'timeout' });
    expect(await api.post(`${path}/${decision}`)).toMatchObject({
      status: 409,
      body: { code: 'APPROVAL_EXPIRED', details: { status: 'rejected' } },
    });
    await api.must(200).delete(`/api/v1/approval-policies/${policy.id}`);
  },
);

test('decisions are accepted while Temporal is unreachable; their signals wait in the outbox', async () => {
  const { api, workspaceId } = bed;
  const { policy } = await api.must(200).post('/api/v1/approval-policies', { name: 'x' });
  const { approval } = await api
    .must(202)
    .post('/api/v1/actions/execute', { workspaceId, integrationName: 'hash-encode', actionName: 'hash', input: { text: 'away' } });
  expect((await api.must(200).post(`/api/v1/approvals/${approval.id}/approve`)).approval.status).toBe('approved');
  const waiting = await bed.gateway.db('outbox').where({ approval_id: approval.id }).pluck('kind');
  expect(waiting.sort()).toEqual(['approval-requested', 'approval-settled']);
  await api.must(200).delete(`/api/v1/approval-policies/${policy.id}`);
});
