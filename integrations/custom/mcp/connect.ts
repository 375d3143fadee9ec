import { setTimeout as delay } from 'node:timers/promises';
import { Client, type PriorDiscovery, SdkHttpError } from '@modelcontextprotocol/client';
import type { Fetch } from './guarded-fetch.ts';
import { RemoteTransport } from './remote-transport.ts';

interface ConnectOptions {
  url: string;
  fetch: Fetch;
  timeoutMs: number;
  signal?: AbortSignal;
  /** Called when the stream of notifications has ended. Without it, the stream is not opened. */
  onStreamEnd?: () => void;
  /** The result of an earlier connection. Saves a round trip. */
  prior?: PriorDiscovery | undefined;
}

/** A connection with an MCP server. */
export interface Remote {
  client: Client;
  transport: RemoteTransport;
}

/**
 * Connects to a server of any protocol revision. Rejects with the errors of the MCP client and of
 * `fetch`.
 */
export async function connectRemote(options: ConnectOptions): Promise<Remote> {
  try {
    return await open(options, options.prior);
  } catch (error) {
    // Some older servers answer 5xx to an unknown request, so the old handshake is tried.
    const isFailing = error instanceof SdkHttpError && (error.status ?? 0) >= 500;
    if (options.prior || !isFailing) throw withoutWrapping(error);
    return open(options, { kind: 'legacy' });
  }
}

async function open({ url, fetch, timeoutMs, signal, onStreamEnd }: ConnectOptions, prior?: PriorDiscovery): Promise<Remote> {
  const client = new Client({ name: 'integration-gateway', version: '1.0.0' }, CLIENT_OPTIONS);
  // An error of a request also rejects the request.
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

/** Time limit for a server that does not answer the end of a session. */
const GOODBYE_MS = 2_000;

/** Ends the session at the server, if supported, and closes the client. */
export async function disconnectRemote({ client, transport }: Remote): Promise<void> {
  await Promise.race([transport.terminateSession().catch(() => {}), delay(GOODBYE_MS, undefined, { ref: false })]);
  await client.close().catch(() => {});
}

const CLIENT_OPTIONS: ConstructorParameters<typeof Client>[1] = {
  versionNegotiation: { mode: 'auto' },
  // A call cannot answer a request for input.
  inputRequired: { autoFulfill: false },
  // Accepts every answer, so that schemas of third parties are never compiled.
  jsonSchemaValidator: { getValidator: () => (input: unknown) => ({ valid: true, data: input as never, errorMessage: undefined }) },
};

/** The MCP client wraps the errors of `fetch`. */
function withoutWrapping(error: unknown): unknown {
  const { cause } = error as { cause?: unknown };
  return cause instanceof Error && !(error instanceof SdkHttpError) ? cause : error;
}
