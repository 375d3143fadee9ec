import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expectSigned } from '../../support/expect-signed.ts';
import { aReceiver, type Received, type Receiver } from '../../support/receiver.ts';
import { type DeliveryBed, openDeliveryBed } from './delivery-bed.ts';

let bed: DeliveryBed;
let receiver: Receiver;
beforeEach(async () => {
  [bed, receiver] = await Promise.all([openDeliveryBed(), aReceiver()]);
});
afterEach(async () => {
  await Promise.all([bed.close(), receiver.close()]);
});

const eventOf = ({ headers }: Received) => headers['x-svc-event'];

test('the first attempt of an event waits for the first attempt of the earlier event', async () => {
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

test('a retry delays no later event', async () => {
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

test('a sender that lost its claim to another process changes nothing with its result', async () => {
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

test('a 2xx is a success with any body, and the body is not stored', async () => {
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

test("a process with a wrong clock signs with the database's time", async () => {
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

test('each attempt is in the audit log: delivered, failed, given up', async () => {
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
