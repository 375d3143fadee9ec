import type { Outbound } from '../../../domain/outbound.ts';
import { connectRemote, disconnectRemote } from './connect.ts';
import { guardedFetch } from './guarded-fetch.ts';

const CONNECT_MS = 20_000;
const STREAM_MS = 10 * 60_000;
const STREAM_MAX_BYTES = 1024 * 1024;

/** An open stream of notifications. */
export interface Listening {
  /** Resolves when the server or this side has ended the stream. */
  ended: Promise<unknown>;
  close(): Promise<void>;
}

interface Listen {
  url: string;
  /** Credentials of the import. */
  headers: Readonly<Record<string, string>>;
  outbound: Pick<Outbound, 'stream'>;
  onChange(): void;
}

/**
 * Listens for changes of a server's tools. Undefined if the server does not announce changes.
 * Rejects with the errors of the MCP client.
 */
export async function listenForChanges({ url, headers, outbound, onChange }: Listen): Promise<Listening | undefined> {
  const fetch = guardedFetch(outbound, {
    ...{ timeoutMs: STREAM_MS, maxBytes: STREAM_MAX_BYTES },
    authenticate: (request) => ({ ...request, headers: { ...request.headers, ...headers } }),
  });
  const { promise: streamEnded, resolve: onStreamEnd } = Promise.withResolvers<void>();
  const remote = await connectRemote({ url, fetch, timeoutMs: CONNECT_MS, onStreamEnd });
  const close = () => disconnectRemote(remote);
  if (remote.client.getServerCapabilities()?.tools?.listChanged !== true) {
    await close();
    return undefined;
  }
  remote.client.setNotificationHandler('notifications/tools/list_changed', () => onChange());
  if (remote.client.getProtocolEra() !== 'modern') return { close, ended: streamEnded };
  const subscription = await remote.client.listen({ toolsListChanged: true }, { timeout: CONNECT_MS }).catch(async (error) => {
    await close();
    throw error;
  });
  return { close, ended: subscription.closed };
}
