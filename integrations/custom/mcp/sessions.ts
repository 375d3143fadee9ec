import { type PriorDiscovery, SdkHttpError } from '@modelcontextprotocol/client';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { RemoteToolCall, RemoteTools } from '../../remote-tools.ts';
import { connectRemote, disconnectRemote, type Remote } from './connect.ts';
import type { Fetch } from './guarded-fetch.ts';

/** The sessions between this process and MCP servers. */
export interface RemoteSessions {
  /**
   * The sessions of one owner: workspace, end user, integration and account. No other owner uses
   * them.
   */
  of(owner: string): RemoteTools;
  close(): Promise<void>;
}

/** Limits per process: number of sessions, and ms without use. */
const MAX_SESSIONS = 500;
const IDLE_MS = 5 * 60_000;
/** Limits of the cached protocol revisions: number, and ms. */
const MAX_KNOWN = 1_000;
const KNOWN_MS = 10 * 60_000;

/** `fetch` sends its requests with the latest call's credentials. */
interface Session {
  remote: Promise<Remote>;
  fetch: Fetch;
  /** Number of calls in flight. A dropped session ends after its last call. */
  calls: number;
  isDropped: boolean;
}

/** Opens sessions between this process and MCP servers. */
export function openSessions(): RemoteSessions {
  const sessions = new LRUCache<string, Session>({
    ...{ max: MAX_SESSIONS, ttl: IDLE_MS, ttlAutopurge: true, updateAgeOnGet: true },
    dispose: (session, _, reason) => reason !== 'set' && drop(session),
  });
  const known = new LRUCache<string, PriorDiscovery>({ max: MAX_KNOWN, ttl: KNOWN_MS });

  const open = (key: string, call: RemoteToolCall): Session => {
    const { url, timeoutMs, fetch: first } = call;
    const session: Session = { fetch: first, remote: undefined as never, calls: 0, isDropped: false };
    const fetch: Fetch = (address, init) => session.fetch(address, init);
    session.remote = connectRemote({ url, fetch, timeoutMs, prior: known.get(key) });
    session.remote.then(
      ({ client }) => known.set(key, priorOf(client)),
      () => forget(key, session),
    );
    sessions.set(key, session);
    return session;
  };
  const forget = (key: string, session: Session): void => {
    if (sessions.peek(key) === session) sessions.delete(key);
    known.delete(key);
  };

  const callOnce = async (key: string, call: RemoteToolCall): Promise<{ result: Readonly<Record<string, unknown>> } | 'gone'> => {
    const kept = sessions.get(key);
    const session = kept ?? open(key, call);
    session.fetch = call.fetch;
    session.calls += 1;
    try {
      const remote = await aborting(session.remote, call.signal);
      return { result: await callTool(remote, call) };
    } catch (error) {
      if (error instanceof SdkHttpError) forget(key, session);
      // The server no longer knows the session, so it did not run the tool.
      if (kept && error instanceof SdkHttpError && (error.status === 404 || error.status === 400)) return 'gone';
      throw error;
    } finally {
      session.calls -= 1;
      if (session.isDropped) drop(session);
    }
  };

  return {
    of: (owner) => ({
      async call(call) {
        const key = JSON.stringify([owner, call.url]);
        for (;;) {
          const done = await callOnce(key, call);
          if (done !== 'gone') return done.result;
        }
      },
    }),
    async close() {
      const all = [...sessions.values()];
      sessions.clear();
      await Promise.all(all.map(endSession));
    },
  };
}

function priorOf(client: Remote['client']): PriorDiscovery {
  const discover = client.getDiscoverResult();
  return discover ? { kind: 'modern', discover } : { kind: 'legacy' };
}

/** Ends a session that is no longer kept, unless calls still use it. */
function drop(session: Session): void {
  session.isDropped = true;
  if (session.calls === 0) void endSession(session);
}

const ended = new WeakMap<Session, Promise<void>>();

function endSession(session: Session): Promise<void> {
  const ending = ended.get(session) ?? session.remote.then(disconnectRemote, () => {});
  ended.set(session, ending);
  return ending;
}

/** Keeps unknown fields, which the client's own schema would remove. */
const RESULT = z.looseObject({
  content: z.array(z.unknown()).optional(),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
});

function callTool({ client }: Remote, { tool, input, inputSchema, timeoutMs, signal }: RemoteToolCall): Promise<Record<string, unknown>> {
  const params = { name: tool, arguments: { ...input } };
  const options = { timeout: timeoutMs, signal };
  // Only this method of the client repeats inputs in headers (SEP-2243).
  if (JSON.stringify(inputSchema).includes('"x-mcp-header"'))
    return client.callTool(params, { ...options, toolDefinition: { name: tool, inputSchema: { ...inputSchema, type: 'object' } } });
  return client.request({ method: 'tools/call', params }, RESULT, options);
}

/** Rejects when the signal is aborted. The awaited work continues. */
async function aborting<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted();
  const stopped = Promise.withResolvers<never>();
  const stop = () => stopped.reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  return Promise.race([promise, stopped.promise]).finally(() => signal.removeEventListener('abort', stop));
}
