import { setTimeout as delay } from 'node:timers/promises';
import { Client, type PriorDiscovery, SdkHttpError } from '@modelcontextprotocol/client';
import type { Fetch } from './guarded-fetch.ts';
import { RemoteTransport } from './remote-transport.ts';

interface ConnectOptions {
  url: string;
  fetch: Fetch;
  timeoutMs: number;
  signal?: AbortSignal;
  /** Opens the stream of the session for notifications. Called when that stream is over. */
  onStreamEnd?: () => void;
  /** What an earlier connection learned about the server. Saves a round trip. */
  prior?: PriorDiscovery | undefined;
}

/** A connection with an MCP server. */
export interface Remote {
  client: Client;
  transport: RemoteTransport;
}

/**
 * Connects to a server of any revision: tries 2026-07-28 first, then the handshake of the older
 * revisions. Rejects with the errors of the MCP client and of `fetch`.
 */
export async function connectRemote(options: ConnectOptions): Promise<Remote> {
  try {
    return await open(options, options.prior);
  } catch (error) {
    // Some older servers answer an error to an unknown request.
    const isFailing = error instanceof SdkHttpError && (error.status ?? 0) >= 500;
    if (options.prior || !isFailing) throw withoutWrapping(error);
    return open(options, { kind: 'legacy' });
  }
}

async function open({ url, fetch, timeoutMs, signal, onStreamEnd }: ConnectOptions, prior?: PriorDiscovery): Promise<Remote> {
  const client = new Client({ name: 'integration-gateway', version: '1.0.0' }, CLIENT_OPTIONS);
  // Errors reach the request that they belong to.
  client.onerror = () => {};
  const transport = new RemoteTransport(url, fetch, { onStreamEnd });
  try {
    await client.connect(transport, { timeout: timeoutMs, ...(signal && { signal }), ...(prior && { prior }) });
  } catch (error) {
    await client.close().catch(() => {});
    throw withoutWrapping(error);
  }
  return { client, transport };
}

/** How long to wait for a server that does not answer. */
const GOODBYE_MS = 2_000;

/** Ends the session of a connection at the server, as far as the server allows that. */
export async function disconnectRemote({ client, transport }: Remote): Promise<void> {
  await Promise.race([transport.terminateSession().catch(() => {}), delay(GOODBYE_MS, undefined, { ref: false })]);
  await client.close().catch(() => {});
}

const CLIENT_OPTIONS: ConstructorParameters<typeof Client>[1] = {
  versionNegotiation: { mode: 'auto' },
  // A server may send a request to the client's user. A call cannot answer it.
  inputRequired: { autoFulfill: false },
  // Answers are passed on as they came, so schemas of third parties are never compiled.
  jsonSchemaValidator: { getValidator: () => (input: unknown) => ({ valid: true, data: input as never, errorMessage: undefined }) },
};

/** The error of `fetch` that the negotiation of the revision wraps into its own. */
function withoutWrapping(error: unknown): unknown {
  const { cause } = error as { cause?: unknown };
  return cause instanceof Error && !(error instanceof SdkHttpError) ? cause : error;
}
