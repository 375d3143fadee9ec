import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import type { Outbound } from '../../../domain/outbound.ts';
import { openOutbound } from '../../../infra/outbound.ts';
import { INTEGRATIONS } from '../../../integrations/catalog.ts';
import type { AuthValue, Integration } from '../../../integrations/definition.ts';
import { parseInput } from '../../../integrations/parse-input.ts';
import { KEEPS_IDLE } from '../../support/keeps-idle.ts';

/** A request as the third party received it. `body` is parsed if it is JSON. */
export interface Seen {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: unknown;
}

interface FakeAnswer {
  status?: number;
  headers?: Record<string, string>;
  /** Strings and bytes are sent unchanged, other values as JSON. */
  body?: unknown;
}

/** A fake third party, which records the requests. */
export interface Fake {
  outbound: Outbound;
  /** The requests since the last call of `answers`. */
  seen: Seen[];
  /** Sets the answers to later requests, in order. The last answer repeats. */
  answers(...answers: (FakeAnswer | ((response: ServerResponse) => void))[]): void;
  close(): Promise<void>;
}

/** Starts a third party for this origin. A request of `outbound` to another origin fails. */
export async function openFake(origin: string): Promise<Fake> {
  const queue: (FakeAnswer | ((response: ServerResponse) => void))[] = [];
  const seen: Seen[] = [];
  const server = createServer(KEEPS_IDLE, async (request, response) => {
    seen.push({ method: request.method!, url: request.url!, headers: request.headers, body: parse(await buffer(request)) });
    const answer = queue.length > 1 ? queue.shift()! : queue[0]!;
    if (typeof answer === 'function') return answer(response);
    const { status = 200, headers = { 'content-type': 'application/json' }, body } = answer;
    response
      .writeHead(status, headers)
      .end(typeof body === 'string' || body instanceof Buffer || body === undefined ? body : JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const real = openOutbound({ allowHttp: true, allowCidrs: ['127.0.0.0/8'] });
  const here = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    outbound: {
      ...real,
      request(request) {
        if (new URL(request.url).origin !== origin) throw new Error(`a request to another host: ${request.url}`);
        return real.request({ ...request, url: request.url.replace(origin, here) });
      },
    },
    seen,
    answers(...answers) {
      queue.splice(0, queue.length, ...answers);
      seen.length = 0;
    },
    async close() {
      await real.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Returns a provider of the catalogue. */
export function providerNamed(name: string): Integration {
  return INTEGRATIONS.find((integration) => integration.name === name)!;
}

interface Call {
  auth: AuthValue | null;
  outbound: Outbound;
  now?: Date;
  signal?: AbortSignal;
}

/** Runs an action as the service does, and checks input and output against their schemas. */
export async function run(integration: Integration, name: string, given: unknown, call: Call): Promise<Record<string, unknown>> {
  const action = integration.actions[name]!;
  const parsed = parseInput(action, given);
  if (!parsed.ok) throw Object.assign(new Error(JSON.stringify(parsed.issues)), { issues: parsed.issues });
  const nothing = (): never => {
    throw new Error('a provider must only use its third party');
  };
  const input = (call.auth && action.completeInput?.(parsed.input, call.auth)) ?? parsed.input;
  const now = () => call.now ?? new Date();
  const signal = call.signal ?? AbortSignal.timeout(60_000);
  const output = await action.run({
    ...call,
    now,
    signal,
    input,
    state: nothing,
    sandbox: nothing,
    remoteTools: nothing,
    schedule: nothing,
  });
  const shown = z.fromJSONSchema(action.output.json as Parameters<typeof z.fromJSONSchema>[0]);
  return shown.parse(JSON.parse(JSON.stringify(output))) as Record<string, unknown>;
}

/** Returns the choices of an input. `place` names action and input, as in `create_issue.labels`. */
export function options(
  integration: Integration,
  place: `${string}.${string}`,
  input: Record<string, unknown>,
  { search, ...call }: Call & { search?: string },
) {
  const [name, prop] = place.split('.') as [string, string];
  const dynamic = integration.actions[name]!.dynamic![prop]!;
  return dynamic.options!({ ...call, input, search, signal: AbortSignal.timeout(60_000) });
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return body.toString();
  }
}
