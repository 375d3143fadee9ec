import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KEEPS_IDLE } from '../support/keeps-idle.ts';
import type { FaultInjector } from './fault-injector.ts';

interface Delivered {
  id: string;
  event: string;
  approvalId: string;
  headers: IncomingHttpHeaders;
  /** Arrival in epoch milliseconds, by a correct clock. */
  cameAt: number;
  body: string;
}

/** A third party that counts effects, and a webhook receiver. This process is never killed. */
export interface CountingWorld {
  /** Each request to this address counts as one effect of this name. */
  effectUrl(name: string): string;
  webhookUrl: string;
  effectsOf(name: string): number;
  /**
   * Delays the answers of the third party, but not the effects, until this promise has resolved.
   */
  answerAfter(moment: Promise<unknown>): void;
  delivered: Delivered[];
  close(): Promise<void>;
}

/** `faults` watches the effects and the webhooks. */
export async function openCountingWorld(faults?: FaultInjector): Promise<CountingWorld> {
  const effects = new Map<string, number>();
  const delivered: Delivered[] = [];
  let moment: Promise<unknown> = Promise.resolve();
  const server = createServer(KEEPS_IDLE, async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const [, kind, name = ''] = request.url!.split('/');
    const passage = kind === 'pay' ? faults?.pass('api', 'effect', 'action') : faults?.pass('worker', 'effect', 'webhook');
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
