import { updateApprovalPolicy } from '../../../commands/policies/update-policy.ts';
import { claimDueDeliveries } from '../../../store/webhook-claims.ts';
import { expectSigned } from '../../support/expect-signed.ts';
import { aReceiver, type Received, type Receiver } from '../../support/receiver.ts';
import { until } from '../../support/until.ts';
import { type DeliveryBed, openDeliveryBed } from './delivery-bed.ts';

let bed: DeliveryBed;
let receiver: Receiver;
beforeEach(async () => {
  [bed, receiver] = await Promise.all([openDeliveryBed(), aReceiver()]);
});
afterEach(async () => {
  await Promise.all([bed.close(), receiver.close()]);
});

async function makeRetryDue(seconds = 0): Promise<void> {
  await bed.gateway
    .db('webhook_deliveries')
    .where({ status: 'retrying' })
    .update({ next_attempt_at: bed.gateway.db.raw(`now() - interval '${seconds} seconds'`) });
}

const eventOf = ({ headers }: Received) => headers['x-svc-event'];

test('after a process died during an attempt, another process retries under the same delivery id', async () => {
  const held = await openDeliveryBed({ listens: false });
  const { policy } = await held.aPolicy([receiver.url]);
  const approval = await held.anApproval(policy);
  await held.decide(approval);
  const limits = { total: 10, ofDestination: 10, rooms: {}, fullEndpoints: [], fullOrgs: [] };
  const { claimed } = await claimDueDeliveries(held.gateway.db, limits);
  expect(claimed.map(({ eventType, attempt }) => [eventType, attempt])).toEqual([['approval.requested', 1]]);
  expect((await claimDueDeliveries(held.gateway.db, limits)).claimed).toEqual([]);
  expect((await held.deliveries(approval))[0]).toMatchObject({ attempt: 1, status: 'pending' });

  await held.gateway.db('webhook_deliveries').whereNotNull('in_flight_until').update({ in_flight_until: held.gateway.db.fn.now() });
  await held.sender.sendDue();
  await receiver.has(2);
  expect(receiver.received.map((request) => [eventOf(request), request.headers['x-svc-attempt']])).toEqual([
    ['approval.requested', '2'],
    ['approval.approved', '1'],
  ]);
  expect(receiver.received[0]!.headers['x-svc-delivery']).toBe(claimed[0]!.id);
  await held.close();
});

test('a retry that Temporal lost is made when it is overdue', async () => {
  receiver.answerWith(() => ({ status: receiver.received.length === 1 ? 500 : 200 }));
  const { policy } = await bed.aPolicy([receiver.url]);
  const approval = await bed.anApproval(policy);
  await bed.until(approval, ([delivery]) => delivery!.status === 'retrying');
  await makeRetryDue();
  await bed.sender.sendDue();
  expect((await bed.deliveries(approval))[0]).toMatchObject({ status: 'retrying', attempt: 1 });
  await makeRetryDue(16);
  await bed.sender.sendDue();
  await bed.until(approval, ([delivery]) => delivery!.status === 'success' && delivery!.attempt === 2);
});

test('Temporal gets the time of the retry, and no attempt is made earlier', async () => {
  receiver.answerWith(() => ({ status: receiver.received.length < 3 ? 500 : 200 }));
  const { policy } = await bed.aPolicy([receiver.url]);
  const approval = await bed.anApproval(policy);
  await bed.until(approval, ([delivery]) => delivery!.status === 'retrying');
  await until(() => bed.started.length > 0);
  const [start] = bed.started;
  expect(start).toMatchObject({ approvalId: approval.id, eventType: 'approval.requested' });
  expect(start!.delaySeconds).toBeGreaterThanOrEqual(4);
  expect(start!.delaySeconds).toBeLessThanOrEqual(6);

  const early = await bed.sender.retry(start!.deliveryId);
  expect(early!.waitSeconds).toBeGreaterThan(2);
  expect(receiver.received).toHaveLength(1);
  await makeRetryDue();
  const second = await bed.sender.retry(start!.deliveryId);
  expect(second!.waitSeconds).toBeGreaterThanOrEqual(240);
  expect(second!.waitSeconds).toBeLessThanOrEqual(360);
  await makeRetryDue();
  expect(await bed.sender.retry(start!.deliveryId)).toBeUndefined();
  expect(await bed.sender.retry(start!.deliveryId)).toBeUndefined();
  expect(receiver.received.map(({ headers }) => headers['x-svc-attempt'])).toEqual(['1', '2', '3']);
  expect(bed.started).toHaveLength(1);
});

test('the tenth failure is final', async () => {
  receiver.answerWith(() => ({ status: 500 }));
  const { policy } = await bed.aPolicy([receiver.url]);
  const approval = await bed.anApproval(policy);
  await bed.until(approval, ([delivery]) => delivery!.status === 'retrying');
  await bed.gateway.db('webhook_deliveries').update({ attempt: 9 });
  await makeRetryDue(16);
  await bed.sender.sendDue();
  const [delivery] = await bed.until(approval, ([one]) => one!.status === 'failed');
  expect(delivery).toMatchObject({ attempt: 10, httpStatus: 500, errorMessage: 'The receiver answered 500.', deliveredAt: null });
  expect(bed.started).toHaveLength(1);
});

test('after a 410, events are skipped until the approvers of the policy are saved again', async () => {
  receiver.answerWith(() => ({ status: 410 }));
  const { policy, secrets } = await bed.aPolicy([receiver.url]);
  const approval = await bed.anApproval(policy);
  await bed.until(approval, ([delivery]) => delivery!.status === 'failed');
  await bed.decide(approval);
  expect(
    (await bed.deliveries(approval)).map(({ status, attempt, httpStatus, errorMessage }) => [status, attempt, httpStatus, errorMessage]),
  ).toEqual([
    [
      'failed',
      1,
      410,
      expect.stringMatching(
        /^The receiver answered 410\. Nothing more is sent to this destination\. When the destination works again, save the approvers of the policy again/,
      ),
    ],
    ['failed', 0, null, expect.stringMatching(/^The destination answered 410 before, so nothing is sent to it\./)],
  ]);

  await updateApprovalPolicy(bed.gateway, bed.principal, policy, { description: 'something else' });
  await bed.anApproval(policy);
  receiver.answerWith(() => ({ status: 200 }));
  const { secrets: made } = await updateApprovalPolicy(bed.gateway, bed.principal, policy, { approvers: policy.approvers });
  expect(made.size).toBe(0);
  await bed.anApproval(policy);
  await receiver.has(2);
  expect(receiver.received).toHaveLength(2);
  expectSigned(receiver.received[1]!, [secrets[0]!]);
});
