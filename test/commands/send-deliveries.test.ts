import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { updateApprovalPolicy } from '../../commands/update-approval-policy.ts';
import { openOutbound } from '../../infra/outbound.ts';
import { claimDueDeliveries } from '../../store/webhook-claims.ts';
import { expectSigned } from '../support/expect-signed.ts';
import { aReceiver, type Received, type Receiver } from '../support/receiver.ts';
import { type DeliveryBed, openDeliveryBed } from './delivery-bed.ts';

let bed: DeliveryBed;
let receiver: Receiver;
beforeEach(async () => {
  [bed, receiver] = await Promise.all([openDeliveryBed(), aReceiver()]);
});
afterEach(async () => {
  await Promise.all([bed.close(), receiver.close()]);
});

/** Sends what a delivery that failed has coming, at once. */
async function makeRetryDue(seconds = 0): Promise<void> {
  await bed.gateway
    .db('webhook_deliveries')
    .where({ status: 'retrying' })
    .update({ next_attempt_at: bed.gateway.db.raw(`now() - interval '${seconds} seconds'`) });
}

const eventOf = ({ headers }: Received) => headers['x-svc-event'];

test('the first attempt at a later event waits for that of the earlier one, and comes right after it', async () => {
  const held = Promise.withResolvers<void>();
  receiver.answerWith(async (request) => {
    if (eventOf(request) === 'approval.requested') await held.promise;
    return { status: 200 };
  });
  const { policy } = await bed.aPolicy([receiver.url]);
  const approval = await bed.anApproval(policy);
  await receiver.has(1);
  await bed.decide(approval);
  await bed.sender.sendDue();
  expect(receiver.received.map(eventOf)).toEqual(['approval.requested']);
  held.resolve();
  await receiver.has(2);
  const [requested, approved] = receiver.received.map(({ body }) => JSON.parse(body));
  expect([requested.event, approved.event]).toEqual(['approval.requested', 'approval.approved']);
  expect(Date.parse(requested.createdAt)).toBeLessThan(Date.parse(approved.createdAt));
});

test('a retry holds up no later event', async () => {
  receiver.answerWith((request) => ({ status: eventOf(request) === 'approval.requested' ? 503 : 200 }));
  const { policy } = await bed.aPolicy([receiver.url]);
  const approval = await bed.anApproval(policy);
  await bed.until(approval, ([requested]) => requested!.status === 'retrying');
  await bed.decide(approval);
  const deliveries = await bed.until(approval, ([, approved]) => approved?.status === 'success');
  expect(deliveries.map(({ status, attempt }) => [status, attempt])).toEqual([
    ['retrying', 1],
    ['success', 1],
  ]);
});

test('a process that dies in an attempt has counted it; another one makes the next, with the same delivery id', async () => {
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

test('what comes back of a claim that was lost to another process changes nothing', async () => {
  const held = Promise.withResolvers<void>();
  receiver.answerWith(async ({ headers }) => {
    if (headers['x-svc-attempt'] === '1') await held.promise;
    return { status: headers['x-svc-attempt'] === '1' ? 500 : 200 };
  });
  const { policy } = await bed.aPolicy([receiver.url]);
  const approval = await bed.anApproval(policy);
  await receiver.has(1);
  await bed.gateway.db('webhook_deliveries').update({ in_flight_until: bed.gateway.db.fn.now() });
  await bed.sender.sendDue();
  await bed.until(approval, ([delivery]) => delivery!.status === 'success');
  held.resolve();
  await bed.sender.close(5000);
  expect((await bed.deliveries(approval))[0]).toMatchObject({ status: 'success', attempt: 2 });
});

test('a retry that Temporal lost is made all the same, once it is overdue', async () => {
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

test('Temporal is told when to retry, and its activity makes the attempt only then', async () => {
  receiver.answerWith(() => ({ status: receiver.received.length < 3 ? 500 : 200 }));
  const { policy } = await bed.aPolicy([receiver.url]);
  const approval = await bed.anApproval(policy);
  await bed.until(approval, ([delivery]) => delivery!.status === 'retrying');
  while (bed.started.length === 0) await new Promise(setImmediate);
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

test('the tenth failure is the last', async () => {
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

test('410 ends it: later events are not sent and say why, until the destination is named again; it keeps its secret', async () => {
  receiver.answerWith(() => ({ status: 410 }));
  const { policy, secrets } = await bed.aPolicy([receiver.url]);
  const approval = await bed.anApproval(policy);
  await bed.until(approval, ([delivery]) => delivery!.status === 'failed');
  await bed.decide(approval);
  expect(
    (await bed.deliveries(approval)).map(({ status, attempt, httpStatus, errorMessage }) => [status, attempt, httpStatus, errorMessage]),
  ).toEqual([
    ['failed', 1, 410, expect.stringMatching(/^The receiver answered 410\. Nothing more is sent to this destination\. Name it/)],
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

test.each([301, 302, 307, 308])('a redirect (%s) is a failure and is not followed', async (status) => {
  const elsewhere = await aReceiver();
  const server = createServer((_, response) => response.writeHead(status, { location: elsewhere.url }).end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { policy } = await bed.aPolicy([`http://127.0.0.1:${(server.address() as AddressInfo).port}`]);
  const approval = await bed.anApproval(policy);
  const [delivery] = await bed.until(approval, ([one]) => one!.status === 'retrying');
  expect(delivery).toMatchObject({ httpStatus: status, errorMessage: `The receiver answered ${status}; redirects are not followed.` });
  expect(elsewhere.received).toEqual([]);
  server.close();
  await elsewhere.close();
});

test('a 2xx is a success whatever its body, which is not kept: not one that is large, broken, or never ends', async () => {
  const server = createServer((request, response) => {
    response.writeHead(200, request.url === '/broken' ? { 'content-encoding': 'gzip' } : {});
    if (request.url === '/endless') response.write('secret-answer');
    else response.end(request.url === '/large' ? 'secret-answer'.repeat(1_000_000) : 'secret-answer');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { policy } = await bed.aPolicy(['/large', '/broken', '/endless'].map((path) => origin + path));
  const approval = await bed.anApproval(policy);
  const deliveries = await bed.until(approval, (all) => all.every(({ status }) => status === 'success'));
  expect(deliveries.map(({ httpStatus, errorMessage }) => [httpStatus, errorMessage])).toEqual(Array(3).fill([200, null]));
  const { rows } = await bed.gateway.db.raw('select d::text as row from webhook_deliveries d union all select a::text from activity a');
  expect(JSON.stringify(rows)).not.toContain('secret-answer');
  server.closeAllConnections();
  server.close();
});

test('a name that leads to a private address when it is sent is refused, whatever it led to before', async () => {
  const outbound = () => openOutbound({ allowHttp: true, allowCidrs: [] }, { resolve: async () => ['127.0.0.1'] });
  const strict = await openDeliveryBed({ outbound });
  const { policy } = await strict.aPolicy([receiver.url.replace('127.0.0.1', 'rebinding.example')]);
  const approval = await strict.anApproval(policy);
  const [delivery] = await strict.until(approval, ([one]) => one!.status === 'retrying');
  expect(delivery).toMatchObject({ httpStatus: null, errorMessage: 'rebinding.example is not a public address, so it may not be called.' });
  expect(receiver.received).toEqual([]);
  await strict.close();
});

test('a process whose clock is an hour ahead signs the time of the database', async () => {
  const { policy, secrets } = await bed.aPolicy([receiver.url]);
  const { now } = Date;
  Date.now = () => now() + 3_600_000;
  try {
    await bed.anApproval(policy);
    await receiver.has(1);
  } finally {
    Date.now = now;
  }
  expectSigned(receiver.received[0]!, secrets);
  expect(Math.abs(Number(receiver.received[0]!.headers['x-svc-timestamp']) - Date.now() / 1000)).toBeLessThan(60);
});

test('each attempt is in the audit trail: delivered, failed, given up', async () => {
  const statuses = [500, 200, 410];
  receiver.answerWith(() => ({ status: statuses[receiver.received.length - 1]! }));
  const { policy } = await bed.aPolicy([receiver.url]);
  const approval = await bed.anApproval(policy);
  await bed.until(approval, ([delivery]) => delivery!.status === 'retrying');
  await bed.decide(approval);
  const [requested, approved] = await bed.until(approval, ([, one]) => one?.status === 'success');
  const gone = await bed.anApproval(policy);
  const [given] = await bed.until(gone, ([one]) => one!.status === 'failed');
  const rows = await bed.gateway.db('activity').where('type', 'like', 'webhook.%').orderBy('id');
  expect(rows.map((row) => [row.type, row.delivery_id, row.approval_id, row.policy_id, row.details])).toEqual([
    [
      'webhook.attempt_failed',
      requested!.id,
      approval.id,
      policy.id,
      expect.objectContaining({ event: 'approval.requested', attempt: 1, httpStatus: 500 }),
    ],
    ['webhook.delivered', approved!.id, approval.id, policy.id, { event: 'approval.approved', attempt: 1, httpStatus: 200 }],
    [
      'webhook.given_up',
      given!.id,
      gone.id,
      policy.id,
      expect.objectContaining({ event: 'approval.requested', attempt: 1, httpStatus: 410 }),
    ],
  ]);
});
