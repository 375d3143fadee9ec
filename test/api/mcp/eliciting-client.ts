import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/**
 * A connected client of revision 2026-07-28. With `open` it declares URL elicitation, and `open`
 * answers instead of a person.
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
