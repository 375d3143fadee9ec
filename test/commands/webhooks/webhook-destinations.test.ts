import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Gateway } from '../../../commands/gateway.ts';
import { webhookOutbound } from '../../../commands/webhooks/delivery-sender.ts';
import { openOutbound } from '../../../infra/outbound.ts';
import { aReceiver, type Receiver } from '../../support/receiver.ts';
import { type DeliveryBed, openDeliveryBed } from './delivery-bed.ts';

let bed: DeliveryBed;
let receiver: Receiver;
beforeEach(async () => {
  [bed, receiver] = await Promise.all([openDeliveryBed(), aReceiver()]);
});
afterEach(async () => {
  await Promise.all([bed.close(), receiver.close()]);
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

test('a host name is refused if it resolves to a private address at sending time', async () => {
  const outbound = () => openOutbound({ allowHttp: true, allowCidrs: [] }, { resolve: async () => ['127.0.0.1'] });
  const strict = await openDeliveryBed({ outbound });
  const { policy } = await strict.aPolicy([receiver.url.replace('127.0.0.1', 'rebinding.example')]);
  const approval = await strict.anApproval(policy);
  const [delivery] = await strict.until(approval, ([one]) => one!.status === 'retrying');
  expect(delivery).toMatchObject({ httpStatus: null, errorMessage: 'rebinding.example is not a public address, so it may not be called.' });
  expect(receiver.received).toEqual([]);
  await strict.close();
});

test.each(['127.0.0.1', 'localhost', '127.9.9.9'])(
  'a webhook to the service itself (%s) fails without retry and states the reason',
  async (host) => {
    const { port } = new URL(receiver.url);
    // The port of the service becomes the port of the receiver, as if the settings had changed.
    const outbound = ({ config }: Gateway) => webhookOutbound({ config: { ...config, port: Number(port) } });
    const moved = await openDeliveryBed({ outbound });
    const { policy } = await moved.aPolicy([receiver.url.replace('127.0.0.1', host)]);
    const approval = await moved.anApproval(policy);
    const [delivery] = await moved.until(approval, ([one]) => one!.status === 'failed');
    expect(delivery).toMatchObject({
      httpStatus: null,
      errorMessage: expect.stringMatching(/is a part of this service itself\. The service's own addresses are never called/),
    });
    expect([receiver.received, moved.started]).toEqual([[], []]);
    await moved.close();
  },
);

test.each(['databaseUrl', 'temporal', 'refuse'])("no webhook reaches the service's own dependencies: %s", async (which) => {
  const { port } = new URL(receiver.url);
  const outbound = ({ config }: Gateway) => {
    const parts = {
      databaseUrl: { databaseUrl: `postgres://u:p@127.0.0.1:${port}/x` },
      temporal: { temporal: { ...config.temporal, address: `127.0.0.1:${port}` } },
      refuse: { outbound: { ...config.outbound, refuse: [`127.0.0.1:${port}`] } },
    };
    return webhookOutbound({ config: { ...config, ...parts[which as keyof typeof parts] } });
  };
  const guarded = await openDeliveryBed({ outbound });
  const approval = await guarded.anApproval((await guarded.aPolicy([receiver.url])).policy);
  const [delivery] = await guarded.until(approval, ([one]) => one!.status === 'failed');
  expect(delivery!.errorMessage).toMatch(/is a part of this service itself/);
  expect(receiver.received).toEqual([]);
  await guarded.close();
});
