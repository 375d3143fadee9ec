import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/**
 * Connects a client of revision 2026-07-28. With `open`, the client declares URL elicitation, and
 * `open` answers in place of a person.
 */
export async function elicitingClient(
  { url, token }: { url: string; token: string },
  open?: (url: string) => Promise<'accept' | 'decline'>,
): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: 'auto' }, capabilities: open ? { elicitation: { url: {} } } : {} },
  );
  if (open) {
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      if (params.mode !== 'url') throw new Error('expected URL elicitation');
      return { action: await open(params.url) };
    });
  }
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return client;
}

/** Connects a client of SDK 1.x, which uses revision 2025-11-25. */
export async function sdk1Client({ url, token }: { url: string; token: string }, capabilities: object = {}): Promise<Client1> {
  const client = new Client1({ name: 'test', version: '1' }, { capabilities });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new Transport1(new URL(url), { requestInit }) as Parameters<Client1['connect']>[0]);
  return client;
}
