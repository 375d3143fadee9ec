import { deleteApprovalPolicy } from '../../../commands/policies/delete-policy.ts';
import { updateApprovalPolicy } from '../../../commands/policies/update-policy.ts';
import { redeliverWebhook } from '../../../commands/webhooks/redeliver-webhook.ts';
import { rotateWebhookSecret } from '../../../commands/webhooks/rotate-webhook-secret.ts';
import { wipeUnusedWebhookSecrets } from '../../../store/webhook-endpoints.ts';
import { expectSigned } from '../../support/expect-signed.ts';
import { aReceiver, type Receiver } from '../../support/receiver.ts';
import { type DeliveryBed, openDeliveryBed } from './delivery-bed.ts';

let bed: DeliveryBed;
let receiver: Receiver;
beforeEach(async () => {
  [bed, receiver] = await Promise.all([openDeliveryBed(), aReceiver()]);
});
afterEach(() => Promise.all([bed.close(), receiver.close()]));

test('after a rotation, both secrets sign for 24 hours, the new secret first', async () => {
  const { policy, secrets } = await bed.aPolicy([receiver.url]);
  const fresh = await rotateWebhookSecret(bed.gateway, bed.principal, policy);
  expect(fresh).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const { db } = bed.gateway;
  const [{ seconds }] = (await db.raw('select extract(epoch from former_signs_until - now())::int as seconds from webhook_endpoints')).rows;
  expect(Math.abs(seconds - 24 * 3600)).toBeLessThan(120);

  await bed.anApproval(policy);
  await receiver.has(1);
  expectSigned(receiver.received[0]!, [fresh, secrets[0]!]);

  const newest = await rotateWebhookSecret(bed.gateway, bed.principal, policy);
  await bed.anApproval(policy);
  await receiver.has(2);
  expectSigned(receiver.received[1]!, [newest, fresh]);

  await db('webhook_endpoints').update({ former_signs_until: db.fn.now() });
  await bed.anApproval(policy);
  await receiver.has(3);
  expectSigned(receiver.received[2]!, [newest]);
  await wipeUnusedWebhookSecrets(db);
  expect(await db('webhook_endpoints').first()).toMatchObject({
    former_sealed_secret: null,
    former_signs_until: null,
    sealed_secret: expect.any(Buffer),
  });
});

test('a rotation is in the audit log, without secret and URL path', async () => {
  const { policy, secrets } = await bed.aPolicy(['https://hooks.example.com/path-zq4711x']);
  const fresh = await rotateWebhookSecret(bed.gateway, bed.principal, policy);
  const [row] = await bed.gateway.db('activity').where({ type: 'webhook_secret.rotated' });
  expect(row).toMatchObject({ policy_id: policy.id, policy_version: 1, actor_type: 'api_key', details: { host: 'hooks.example.com' } });
  for (const secret of [fresh, secrets[0]!, 'zq4711x']) expect(JSON.stringify(row)).not.toContain(secret);
});

test('the secrets of a deleted policy are deleted after its last delivery', async () => {
  const { db } = bed.gateway;
  const { policy } = await bed.aPolicy([receiver.url]);
  const { policy: kept } = await bed.aPolicy([receiver.url]);
  const approval = await bed.anApproval(policy);
  await bed.until(approval, ([delivery]) => delivery!.status === 'success');
  await deleteApprovalPolicy(bed.gateway, bed.principal, policy);
  expect(await wipeUnusedWebhookSecrets(db)).toBe(0);
  receiver.answerWith(() => ({ status: 500 }));
  await bed.decide(approval, 'reject');
  const [, rejected] = await bed.until(approval, ([, one]) => one?.status === 'retrying');
  expect(await wipeUnusedWebhookSecrets(db)).toBe(0);

  receiver.answerWith(() => ({ status: 200 }));
  await redeliverWebhook(bed.gateway, bed.principal, approval, rejected!.id);
  const before = await bed.until(approval, ([, one]) => one!.status === 'success');
  for (const { id } of before)
    await expect(redeliverWebhook(bed.gateway, bed.principal, approval, id)).rejects.toMatchObject({ code: 'WEBHOOK_REMOVED' });
  expect(await wipeUnusedWebhookSecrets(db)).toBe(1);
  expect(await db('webhook_endpoints').where({ policy_id: policy.id }).first()).toMatchObject({ sealed_secret: null });
  expect(await db('webhook_endpoints').where({ policy_id: kept.id }).first()).toMatchObject({ sealed_secret: expect.any(Buffer) });
  expect(await bed.deliveries(approval)).toEqual(before);
  await expect(redeliverWebhook(bed.gateway, bed.principal, approval, rejected!.id)).rejects.toMatchObject({ code: 'WEBHOOK_REMOVED' });
});

test('a webhook removed from the policy gets no deliveries, and a new secret when it returns', async () => {
  receiver.answerWith(() => ({ status: 500 }));
  const { policy, secrets } = await bed.aPolicy([receiver.url]);
  const approval = await bed.anApproval(policy);
  const [delivery] = await bed.until(approval, ([one]) => one!.status === 'retrying');
  await updateApprovalPolicy(bed.gateway, bed.principal, policy, { approvers: [] });
  await bed.gateway.db('webhook_deliveries').update({ next_attempt_at: new Date(0) });
  await bed.sender.sendDue();
  const [after] = await bed.until(approval, ([one]) => one!.status === 'failed');
  expect(after).toMatchObject({ attempt: 1, errorMessage: 'The policy was deleted or does not name this destination any more.' });
  await bed.decide(approval);
  expect(await bed.deliveries(approval)).toHaveLength(1);
  expect(receiver.received).toHaveLength(1);
  await expect(redeliverWebhook(bed.gateway, bed.principal, approval, delivery!.id)).rejects.toMatchObject({ code: 'WEBHOOK_REMOVED' });

  await wipeUnusedWebhookSecrets(bed.gateway.db);
  const { secrets: made } = await updateApprovalPolicy(bed.gateway, bed.principal, policy, { approvers: policy.approvers });
  expect(made.get(receiver.url)).toMatch(/^whsec_/);
  expect(made.get(receiver.url)).not.toBe(secrets[0]);
  await bed.anApproval(policy);
  await receiver.has(2);
  expectSigned(receiver.received[1]!, [made.get(receiver.url)!]);
});

test('a delivery in any state can be sent again, and a double click counts once', async () => {
  const { policy } = await bed.aPolicy([receiver.url]);
  const approval = await bed.anApproval(policy);
  const [arrived] = await bed.until(approval, ([one]) => one!.status === 'success');
  const again = () => redeliverWebhook(bed.gateway, bed.principal, approval, arrived!.id);

  const held = Promise.withResolvers<void>();
  receiver.answerWith(() => held.promise.then(() => ({ status: 500 })));
  const clicks = await Promise.all([again(), again(), again()]);
  for (const { id, attempt, status } of clicks)
    expect([id, status, attempt === 1 || attempt === 2]).toEqual([arrived!.id, 'retrying', true]);
  await receiver.has(2);
  await again();
  held.resolve();
  await bed.until(approval, ([one]) => one!.attempt === 2 && one!.httpStatus === 500);

  receiver.answerWith(() => ({ status: 410 }));
  await again();
  await bed.until(approval, ([one]) => one!.status === 'failed');
  receiver.answerWith(() => ({ status: 200 }));
  await again();
  const [last] = await bed.until(approval, ([one]) => one!.status === 'success');
  expect(last).toMatchObject({ attempt: 4, httpStatus: 200, errorMessage: null });
  expect(receiver.received.map(({ headers }) => [headers['x-svc-delivery'], headers['x-svc-attempt']])).toEqual(
    ['1', '2', '3', '4'].map((attempt) => [arrived!.id, attempt]),
  );
  const asked = await bed.gateway.db('activity').where({ type: 'webhook.redelivery_asked' }).orderBy('id');
  expect(asked.map(({ details, delivery_id }) => [delivery_id, details.status])).toEqual([
    [arrived!.id, 'success'],
    [arrived!.id, 'retrying'],
    [arrived!.id, 'failed'],
  ]);
});
