import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/**
 * The protocol that a server speaks. `sessions`: an older revision with sessions and event streams.
 * `stateless`: an older revision without sessions, with JSON answers. `modern`: revision
 * 2026-07-28.
 */
export type Manner = 'sessions' | 'stateless' | 'modern';

/**
 * A JSON-RPC message as it arrived. A server with `sessions` also records HTTP requests with the
 * method GET or DELETE; the id of such a request is null.
 */
export interface Arrived {
  method: string;
  id: unknown;
  params: Record<string, unknown>;
  headers: IncomingHttpHeaders;
}

type Answer = (request: Arrived, response: ServerResponse) => unknown;

/** A third party's MCP server. Tests can make it misbehave. */
export interface FakeMcpServer {
  url: string;
  origin: string;
  arrived: Arrived[];
  /** The ids of the open sessions. */
  sessions: Set<string>;
  tools: Record<string, unknown>[];
  /** The open streams for notifications. */
  listeners: Set<ServerResponse>;
  /** Resolves with all requests of this method, once at least `count` have arrived. */
  has(method: string, count?: number): Promise<Arrived[]>;
  /** Returns the result of `tools/call`, or undefined if it has sent the answer itself. */
  onCall: Answer;
  /** Receives every HTTP request first. Returns true if it has answered the request. */
  before: (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>;
  /** Returns a page of `tools/list`. Without this function, one page lists all tools. */
  pages: ((cursor: string | undefined) => Record<string, unknown>) | undefined;
  /** Notifies all listeners that the tools have changed. */
  notify(): void;
  close(): Promise<void>;
}

const SERVER = { name: 'fake', title: 'Fake server', version: '3.2.1' };

export async function aFakeMcpServer(manner: Manner, tools: Record<string, unknown>[] = []): Promise<FakeMcpServer> {
  let wake = () => {};
  const fake: FakeMcpServer = {
    ...{ url: '', origin: '', arrived: [], sessions: new Set(), listeners: new Set(), tools, pages: undefined },
    before: () => false,
    onCall: ({ params }) => ({ content: [{ type: 'text', text: JSON.stringify(params.arguments) }] }),
    async has(method, count = 1) {
      for (;;) {
        const found = fake.arrived.filter((one) => one.method === method);
        if (found.length >= count) return found;
        await new Promise<void>((resolve) => (wake = chain(wake, resolve)));
      }
    },
    notify() {
      for (const listener of fake.listeners)
        listener.write(event({ jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: listenerMeta.get(listener) ?? {} }));
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  const listenerMeta = new WeakMap<ServerResponse, object>();
  const note = (arrived: Arrived) => {
    fake.arrived.push(arrived);
    const woken = wake;
    wake = () => {};
    woken();
  };
  const listen = (response: ServerResponse) => {
    fake.listeners.add(response);
    response.once('close', () => fake.listeners.delete(response));
  };

  const server = createServer(async (request, response) => {
    const body = await text(request);
    if (await fake.before(request, response)) return;
    const { headers } = request;
    const session = headers['mcp-session-id'];
    if (request.method === 'GET' && manner === 'sessions') {
      note({ method: 'GET', id: null, params: {}, headers });
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders();
      return listen(response);
    }
    if (request.method === 'DELETE' && manner === 'sessions') {
      note({ method: 'DELETE', id: null, params: {}, headers });
      fake.sessions.delete(String(session));
      return response.writeHead(200).end();
    }
    if (request.method !== 'POST') return response.writeHead(405).end();
    const { method, id, params = {} } = JSON.parse(body);
    const arrived = { method, id, params, headers };
    note(arrived);
    if (id === undefined) return response.writeHead(202).end();
    const fail = (status: number, code: number, message: string) =>
      response
        .writeHead(status, { 'Content-Type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }));
    const isModern = (params._meta as object | undefined) !== undefined && 'io.modelcontextprotocol/protocolVersion' in params._meta;
    if (isModern !== (manner === 'modern')) return fail(400, -32_601, `Method not found: ${method}`);
    if (manner === 'sessions' && method !== 'initialize' && !fake.sessions.has(String(session)))
      return fail(404, -32_001, 'Session not found');

    const reply = (result: object, more: Record<string, string> = {}) => {
      const message = { jsonrpc: '2.0', id, result: isModern ? { resultType: 'complete', ...result } : result };
      if (manner === 'sessions') response.writeHead(200, { 'Content-Type': 'text/event-stream', ...more }).end(event(message));
      else response.writeHead(200, { 'Content-Type': 'application/json', ...more }).end(JSON.stringify(message));
    };
    const capabilities = { tools: { listChanged: true } };
    switch (method) {
      case 'initialize': {
        const opened = randomUUID();
        if (manner === 'sessions') fake.sessions.add(opened);
        const result = { protocolVersion: '2025-06-18', capabilities, serverInfo: SERVER };
        return reply(result, manner === 'sessions' ? { 'Mcp-Session-Id': opened } : {});
      }
      case 'server/discover':
        return reply({
          ...{ supportedVersions: ['2026-07-28'], capabilities, ttlMs: 0, cacheScope: 'private' },
          _meta: { 'io.modelcontextprotocol/serverInfo': SERVER },
        });
      case 'subscriptions/listen': {
        const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
        response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        const notifications = params.notifications ?? params.filter ?? {};
        response.write(event({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params: { notifications, _meta } }));
        listenerMeta.set(response, { _meta });
        return listen(response);
      }
      case 'tools/list':
        return reply({ ...(fake.pages?.(params.cursor) ?? { tools: fake.tools }), ...(isModern && { ttlMs: 0, cacheScope: 'private' }) });
      case 'tools/call': {
        const result = await fake.onCall(arrived, response);
        return result === undefined ? undefined : reply(result as object);
      }
      default:
        return fail(200, -32_601, `Method not found: ${method}`);
    }
  });
  server.unref().on('connection', (socket) => socket.unref());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  fake.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  fake.url = `${fake.origin}/mcp`;
  return fake;
}

function event(message: object): string {
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`;
}

function chain(first: () => void, second: () => void): () => void {
  return () => {
    first();
    second();
  };
}
