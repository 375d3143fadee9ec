import { setTimeout as delay } from 'node:timers/promises';
import { openDestinationPlaces } from '../../commands/destination-places.ts';
import type { Approval } from '../../domain/approval.ts';
import { WEBHOOK_PLACES } from '../../domain/limits.ts';
import type { Outbound } from '../../domain/outbound.ts';
import type { Policy } from '../../domain/policy.ts';
import { openOutbound } from '../../infra/outbound.ts';
import { OutboundError } from '../../infra/outbound-error.ts';
import { aReceiver, type Receiver } from '../support/receiver.ts';
import { type DeliveryBed, openDeliveryBed } from './delivery-bed.ts';

let bed: DeliveryBed;
let dead: Receiver;
let living: Receiver;
/** Lets fifteen seconds pass for whoever waits for the dead one. */
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

test('destinations that never answer, with more waiting for them than there are places, keep no living one waiting', async () => {
  const deadOnes = await Promise.all(Array.from({ length: 8 }, (_, index) => bed.aPolicy([`${dead.url}/${index}`])));
  const { policy } = await bed.aPolicy([living.url]);
  for (const { policy: unheard } of deadOnes) await approvalsOf(unheard, WEBHOOK_PLACES.ofDestination + 10);
  const approvals = await approvalsOf(policy, 60);

  await bed.sender.sendDue();
  await living.has(60);
  for (const approval of approvals) await bed.until(approval, ([delivery]) => delivery!.status === 'success');
  expect(dead.received.length).toBeLessThanOrEqual(8 * WEBHOOK_PLACES.ofDestination);
});

test('what waits for a silent destination is put off, uncounted, and sent once it answers', async () => {
  const { policy } = await bed.aPolicy([dead.url]);
  const approvals = await approvalsOf(policy, WEBHOOK_PLACES.ofDestination + 5);
  await bed.sender.sendDue();
  await dead.has(WEBHOOK_PLACES.ofDestination);
  giveUp();
  const { db } = bed.gateway;
  const putOff = () => db('webhook_deliveries').where({ attempt: 0 }).andWhereRaw('next_attempt_at > now()');
  while ((await putOff()).length < 5) await delay(20);
  expect(dead.received).toHaveLength(WEBHOOK_PLACES.ofDestination);
  givenUp = Promise.withResolvers();
  dead.answerWith(() => ({ status: 200 }));
  // Each attempt that was given up puts off what is due, so that some may be put off again.
  while (dead.received.length < approvals.length) {
    await db('webhook_deliveries').where({ attempt: 0 }).update({ next_attempt_at: db.fn.now() });
    await bed.sender.sendDue();
    await delay(20);
  }
  let delivered = 0;
  for (const approval of approvals) delivered += (await bed.deliveries(approval)).filter(({ attempt }) => attempt === 1).length;
  expect(delivered).toBe(approvals.length);
});

test('a silent destination has few places until it answers, and no organization takes them all', () => {
  const places = openDestinationPlaces({ total: 10, ofOrg: 6, ofDestination: 4, ofSilentDestination: 1 });
  const silent = { endpointId: 'silent', orgId: 'one' };
  places.take(silent);
  places.giveBack(silent, true);
  expect(places.room()).toMatchObject({ total: 10, rooms: { silent: 1 }, fullEndpoints: [], fullOrgs: [] });
  places.take(silent);
  expect(places.room()).toMatchObject({ total: 9, rooms: { silent: 0 }, fullEndpoints: ['silent'] });
  places.giveBack(silent, false);
  expect(places.room()).toMatchObject({ total: 10, fullEndpoints: [] });
  for (const endpointId of ['a', 'a', 'a', 'a', 'b', 'b']) places.take({ endpointId, orgId: 'one' });
  expect(places.room()).toMatchObject({ total: 4, rooms: { a: 0, b: 2 }, fullEndpoints: ['a'], fullOrgs: ['one'] });
});

/** So many pending approvals of a policy, made few at a time. */
async function approvalsOf(policy: Policy, count: number): Promise<Approval[]> {
  const approvals: Approval[] = [];
  while (approvals.length < count) approvals.push(...(await Promise.all([1, 2, 3, 4, 5].map(() => bed.anApproval(policy)))));
  return approvals;
}
