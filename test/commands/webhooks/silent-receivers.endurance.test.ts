import { setTimeout as delay } from 'node:timers/promises';
import type { Approval } from '../../../domain/approval.ts';
import { WEBHOOK_SLOTS } from '../../../domain/limits.ts';
import type { Outbound } from '../../../domain/outbound.ts';
import type { Policy } from '../../../domain/policies/policy.ts';
import { openOutbound } from '../../../infra/outbound.ts';
import { OutboundError } from '../../../infra/outbound-error.ts';
import { aReceiver, type Receiver } from '../../support/receiver.ts';
import { type DeliveryBed, openDeliveryBed } from './delivery-bed.ts';

let bed: DeliveryBed;
let dead: Receiver;
let living: Receiver;
/** Rejecting this promise ends all requests in flight with a timeout. */
let givenUp: PromiseWithResolvers<never>;
beforeEach(async () => {
  givenUp = Promise.withResolvers();
  givenUp.promise.catch(() => {});
  const outbound = (): Outbound => {
    const real = openOutbound({ allowHttp: true, allowCidrs: ['127.0.0.0/8'] }, { connectionsOfOrigin: null });
    return { ...real, request: (request) => Promise.race([real.request(request), givenUp.promise]) };
  };
  [bed, dead, living] = await Promise.all([openDeliveryBed({ outbound, listens: false }), aReceiver(), aReceiver()]);
  dead.answerWith(() => new Promise(() => {}));
});
afterEach(async () => {
  giveUp();
  await Promise.all([bed.close(), dead.close(), living.close()]);
});

const giveUp = () => givenUp.reject(new OutboundError('timeout', 'The receiver did not answer in time.'));

test('silent destinations with more deliveries than slots do not delay a working destination', async () => {
  const deadOnes = await Promise.all(Array.from({ length: 8 }, (_, index) => bed.aPolicy([`${dead.url}/${index}`])));
  const { policy } = await bed.aPolicy([living.url]);
  for (const { policy: unheard } of deadOnes) await approvalsOf(unheard, WEBHOOK_SLOTS.ofDestination + 10);
  const approvals = await approvalsOf(policy, 60);

  await bed.sender.sendDue();
  await living.has(60);
  for (const approval of approvals) await bed.until(approval, ([delivery]) => delivery!.status === 'success');
  expect(dead.received.length).toBeLessThanOrEqual(8 * WEBHOOK_SLOTS.ofDestination);
});

test('deliveries to a silent destination wait without counting attempts, until it answers', async () => {
  const { policy } = await bed.aPolicy([dead.url]);
  const approvals = await approvalsOf(policy, WEBHOOK_SLOTS.ofDestination + 5);
  await bed.sender.sendDue();
  await dead.has(WEBHOOK_SLOTS.ofDestination);
  giveUp();
  const { db } = bed.gateway;
  const putOff = () => db('webhook_deliveries').where({ attempt: 0 }).andWhereRaw('next_attempt_at > now()');
  while ((await putOff()).length < 5) await delay(20);
  expect(dead.received).toHaveLength(WEBHOOK_SLOTS.ofDestination);
  givenUp = Promise.withResolvers();
  dead.answerWith(() => ({ status: 200 }));
  // Attempts that time out postpone due deliveries. So each round makes all deliveries due again.
  while (dead.received.length < approvals.length) {
    await db('webhook_deliveries').where({ attempt: 0 }).update({ next_attempt_at: db.fn.now() });
    await bed.sender.sendDue();
    await delay(20);
  }
  let delivered = 0;
  for (const approval of approvals) delivered += (await bed.deliveries(approval)).filter(({ attempt }) => attempt === 1).length;
  expect(delivered).toBe(approvals.length);
});

async function approvalsOf(policy: Policy, count: number): Promise<Approval[]> {
  const approvals: Approval[] = [];
  while (approvals.length < count) approvals.push(...(await Promise.all([1, 2, 3, 4, 5].map(() => bed.anApproval(policy)))));
  return approvals;
}
