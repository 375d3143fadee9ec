import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * The reference for webhooks: signs and sends, but stores nothing. Answers the duration in ms and
 * prints its port.
 */
const { url, count, concurrency, payload } = JSON.parse(process.argv[2]!) as {
  url: string;
  count: number;
  concurrency: number;
  payload: object;
};
const key = randomBytes(32);

const server = createServer(async (_, response) => {
  const startedAt = performance.now();
  let left = count;
  const sendSome = async () => {
    while (left-- > 0) await sendOne();
  };
  await Promise.all(Array.from({ length: concurrency }, sendSome));
  response.end(String(performance.now() - startedAt));
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));

async function sendOne(): Promise<void> {
  const body = JSON.stringify({ ...payload, createdAt: new Date().toISOString() });
  const timestamp = Math.floor(Date.now() / 1000);
  const signature = createHmac('sha256', key).update(`${timestamp}.${body}`).digest('hex');
  const headers = {
    'content-type': 'application/json',
    'x-svc-delivery': randomUUID(),
    'x-svc-timestamp': String(timestamp),
    'x-svc-signature': `t=${timestamp},v1=${signature}`,
  };
  const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal: AbortSignal.timeout(15_000) });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`the receiver answered ${response.status}`);
}
