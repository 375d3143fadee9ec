import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KEEPS_IDLE } from '../support/keeps-idle.ts';
import type { Trap } from './trap.ts';

export interface Delivered {
  id: string;
  event: string;
  approvalId: string;
  headers: IncomingHttpHeaders;
  /** Epoch milliseconds, by a clock that is right. */
  cameAt: number;
  body: string;
}

/** What is outside of the system: a third party that counts what takes effect there, and a receiver of webhooks. It is never killed: its word is the truth. */
export interface CountingWorld {
  /** Where an action of that name takes effect, once with each request. */
  effectUrl(name: string): string;
  webhookUrl: string;
  effectsOf(name: string): number;
  /** From now on an effect is counted at once, and answered when this resolves. */
  answerAfter(moment: Promise<unknown>): void;
  delivered: Delivered[];
  close(): Promise<void>;
}

export async function openCountingWorld(trap?: Trap): Promise<CountingWorld> {
  const effects = new Map<string, number>();
  const delivered: Delivered[] = [];
  let moment: Promise<unknown> = Promise.resolve();
  const server = createServer(KEEPS_IDLE, async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const [, kind, name = ''] = request.url!.split('/');
    const passage = kind === 'pay' ? trap?.pass('api', 'effect', 'action') : trap?.pass('worker', 'effect', 'webhook');
    await passage?.before();
    if (kind === 'pay') effects.set(name, (effects.get(name) ?? 0) + 1);
    else delivered.push(deliveryOf(request.headers, body));
    await passage?.after();
    if (kind === 'pay') await moment;
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ effect: effects.get(name) ?? null }));
  });
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    effectUrl: (name) => `${url}/pay/${name}`,
    webhookUrl: `${url}/hook`,
    effectsOf: (name) => effects.get(name) ?? 0,
    answerAfter: (next) => {
      moment = next;
    },
    delivered,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function deliveryOf(headers: IncomingHttpHeaders, body: string): Delivered {
  const { event, approval } = JSON.parse(body);
  return { id: String(headers['x-svc-delivery']), event, approvalId: approval.id, headers, cameAt: Date.now(), body };
}
