import { aReceiver } from '../../support/receiver.ts';
import { checkedTenant, withKey, withWorkspaceKey } from '../checked-caller.ts';

const APPROVALS = '/api/v1/approvals';

async function aHeardApproval(answer: number) {
  const [tenant, receiver] = await Promise.all([checkedTenant(), aReceiver()]);
  receiver.answerWith(() => ({ status: answer }));
  const { policy } = await tenant.api
    .must(200)
    .post('/api/v1/approval-policies', { name: 'Ask first', approvers: [{ type: 'webhook', webhookUrl: receiver.url }] });
  const call = { workspaceId: tenant.workspaceId, integrationName: 'hash-encode', actionName: 'hash', input: { text: 'x' } };
  const { approval } = await tenant.api.must(202).post('/api/v1/actions/execute', call);
  const path = `${APPROVALS}/${approval.id}`;
  const until = async (status: string) => {
    for (;;) {
      const [delivery] = (await tenant.api.must(200).get(path)).approval.webhookDeliveries;
      if (delivery.status === status) return delivery;
    }
  };
  return { tenant, receiver, policy, path, until };
}

test('a delivery shows its destination, attempts and outcome', async () => {
  const { receiver, until } = await aHeardApproval(204);
  expect(await until('success')).toEqual({
    id: receiver.received[0]!.headers['x-svc-delivery'],
    eventType: 'approval.requested',
    callbackUrl: receiver.url,
    attempt: 1,
    status: 'success',
    httpStatus: 204,
    errorMessage: null,
    createdAt: JSON.parse(receiver.received[0]!.body).createdAt,
    deliveredAt: expect.any(String),
  });
  await receiver.close();
});

test('redelivery sends the event again with the same id, even after the decision', async () => {
  const { tenant, receiver, path, until } = await aHeardApproval(200);
  const { id } = await until('success');
  await tenant.api.must(200).post(`${path}/reject`);
  await receiver.has(2);
  const { webhookDelivery } = await tenant.api.must(200).post(`${path}/webhook-deliveries/${id}/redeliver`);
  expect(webhookDelivery).toMatchObject({ id, eventType: 'approval.requested', status: 'retrying' });
  const [first, , again] = await receiver.has(3);
  expect([again!.headers['x-svc-delivery'], again!.headers['x-svc-attempt']]).toEqual([id, '2']);
  expect(again!.body).toBe(first!.body);
  expect(await until('success')).toMatchObject({ attempt: 2 });
  await receiver.close();
});

test('while a redelivery is in flight, its delivery shows no outcome', async () => {
  for (const answer of [200, 410]) {
    const { tenant, receiver, path, until } = await aHeardApproval(answer);
    const { id } = await until(answer === 200 ? 'success' : 'failed');
    let reply = () => {};
    receiver.answerWith(() => new Promise((resolve) => (reply = () => resolve({ status: 204 }))));
    await tenant.api.must(200).post(`${path}/webhook-deliveries/${id}/redeliver`);
    await receiver.has(2);
    const [delivery] = (await tenant.api.must(200).get(path)).approval.webhookDeliveries;
    expect(delivery).toMatchObject({ id, attempt: 2, status: 'retrying', httpStatus: null, errorMessage: null, deliveredAt: null });
    reply();
    expect(await until('success')).toMatchObject({ httpStatus: 204, deliveredAt: expect.any(String) });
    await receiver.close();
  }
});

test('redelivery requires a key that may decide, and finds only deliveries of the named approval', async () => {
  const { tenant, receiver, path, until } = await aHeardApproval(200);
  const { id } = await until('success');
  const redeliver = `${path}/webhook-deliveries/${id}/redeliver`;
  const forbidden = { status: 403, body: { code: 'APPROVAL_DECISION_SCOPE_REQUIRED' } };
  expect(await (await withKey(tenant, {})).post(redeliver)).toMatchObject(forbidden);
  expect(await (await withWorkspaceKey(tenant)).post(redeliver)).toMatchObject(forbidden);
  await (await withWorkspaceKey(tenant, undefined, { decide: true })).must(200).post(redeliver);
  const other = await aHeardApproval(200);
  for (const unknown of ['11111111-1111-4111-8111-111111111111', 'x', (await other.until('success')).id]) {
    expect(await tenant.api.post(`${path}/webhook-deliveries/${unknown}/redeliver`)).toMatchObject({
      status: 404,
      body: { code: 'NOT_FOUND' },
    });
  }
  expect(await tenant.api.post(`${APPROVALS}/apr_0000000000000000000000/webhook-deliveries/${id}/redeliver`)).toMatchObject({
    status: 404,
    body: { code: 'APPROVAL_NOT_FOUND' },
  });
  await Promise.all([receiver.close(), other.receiver.close()]);
});

test('redelivery works for a destination that answered 410, but not for one removed from the policy', async () => {
  const { tenant, receiver, policy, path, until } = await aHeardApproval(410);
  const { id, errorMessage } = await until('failed');
  expect(errorMessage).toMatch(/^The receiver answered 410\. Nothing more is sent to this destination\./);
  receiver.answerWith(() => ({ status: 200 }));
  await tenant.api.must(200).post(`${path}/webhook-deliveries/${id}/redeliver`);
  await until('success');
  await tenant.api.must(200).post(`${path}/reject`);
  await receiver.has(3);
  await tenant.api.must(200).patch(`/api/v1/approval-policies/${policy.id}`, { approvers: [] });
  expect(await tenant.api.post(`${path}/webhook-deliveries/${id}/redeliver`)).toMatchObject({
    status: 409,
    body: { code: 'WEBHOOK_REMOVED' },
  });
  await receiver.close();
});
