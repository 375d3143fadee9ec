import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Outbound } from '../domain/outbound.ts';
import { openOutbound } from '../infra/outbound.ts';
import type { Exchange } from './examples.ts';

/** A request as the third party got it. */
export interface Arrived {
  url: string;
  method: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Buffer;
}

/** A fake third party on this machine, for all hosts. */
export interface ThirdParty {
  /** `request` goes to this fake instead of the real address. */
  outbound: Outbound;
  /** The requests since answers were last set. */
  arrived: Arrived[];
  answer(exchanges: readonly Exchange[]): void;
  close(): Promise<void>;
}

/** Starts a fake third party, which returns the given answers in order, then 500. */
export async function openThirdParty(): Promise<ThirdParty> {
  const arrived: Arrived[] = [];
  let answers: Exchange['answer'][] = [];
  const server = createServer({ keepAliveTimeout: 60_000 }, async (request, response) => {
    arrived.push(await readRequest(request));
    const known = answers.length > 0;
    const { status = known ? 200 : 500, headers = {}, body, base64 } = answers.shift() ?? {};
    const bytes =
      base64 !== undefined ? Buffer.from(base64, 'base64') : typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
    response.writeHead(status, { ...(bytes !== undefined && { 'content-type': 'application/json' }), ...headers }).end(bytes);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const here = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const real = openOutbound({ allowHttp: true, allowCidrs: ['127.0.0.0/8'] });

  return {
    outbound: {
      ...real,
      request(request) {
        const { origin } = new URL(request.url);
        const headers = { ...request.headers, [ORIGIN]: origin };
        return real.request({ ...request, headers, url: here + request.url.slice(origin.length) });
      },
    },
    arrived,
    answer(exchanges) {
      arrived.length = 0;
      answers = exchanges.map(({ answer }) => answer ?? {});
    },
    async close() {
      await real.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

const ORIGIN = 'x-provider-kit-origin';

async function readRequest(request: IncomingMessage): Promise<Arrived> {
  const { [ORIGIN]: origin, ...headers } = request.headers;
  return { url: `${origin}${request.url}`, method: request.method!, headers, body: await buffer(request) };
}
