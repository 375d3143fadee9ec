import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { KEEPS_IDLE } from '../support/keeps-idle.ts';
import type { RunWatch } from './run-watch.ts';

/** The third party that code runs call. Equal requests get equal answers. */
export interface EffectWorld {
  /** Base address for a run. A POST below this address causes an effect, a GET only reads. */
  urlOf(name: string): string;
  /** How often each effect of a run occurred. */
  done(name: string): Record<string, number>;
  /** How often the run read each path. */
  looked(name: string): Record<string, number>;
  close(): Promise<void>;
}

/**
 * Query parameters control an answer: `status`, `ms` (delay), `is` (a word to return) and `kb`
 * (size of a text).
 */
export async function openEffectWorld(watch: RunWatch): Promise<EffectWorld> {
  const counts = { POST: new Map<string, number>(), GET: new Map<string, number>() };
  const server = createServer(KEEPS_IDLE, async (request, response) => {
    const url = new URL(request.url!, 'http://world');
    const [, name = '', what = ''] = url.pathname.split('/');
    const method = request.method === 'POST' ? 'POST' : 'GET';
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const passage = watch.effect(name, method);
    await passage.before();
    const key = `${name}/${what}`;
    counts[method].set(key, (counts[method].get(key) ?? 0) + 1);
    if ((await passage.after()) === 'drop') return void request.socket.destroy();
    const { status = '200', ms = '0', is = null, kb = '0' } = Object.fromEntries(url.searchParams);
    if (ms !== '0') await delay(Number(ms));
    const answer = {
      what,
      is,
      ...(body !== '' && { echo: JSON.parse(body) }),
      ...(kb !== '0' && { text: textOf(Number(kb)) }),
    };
    response.writeHead(Number(status), { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const countsOf = (all: Map<string, number>, name: string) =>
    Object.fromEntries([...all].flatMap(([key, count]) => (key.startsWith(`${name}/`) ? [[key.slice(name.length + 1), count]] : [])));
  return {
    urlOf: (name) => `${url}/${name}`,
    done: (name) => countsOf(counts.POST, name),
    looked: (name) => countsOf(counts.GET, name),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The text compresses badly. */
function textOf(kb: number): string {
  let state = 1;
  const next = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state.toString(36).padStart(7, '0');
  };
  return Array.from({ length: Math.ceil((kb * 1024) / 7) }, next).join('');
}
