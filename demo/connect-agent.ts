import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** A real MCP client on a server of the gateway, with its static bearer token. */
export async function connectAgent({ endpoint, token }: { endpoint: string; token: string }): Promise<Client> {
  const agent = new Client({ name: 'demo-agent', version: '1.0.0' });
  await agent.connect(
    new StreamableHTTPClientTransport(new URL(endpoint), { requestInit: { headers: { authorization: `Bearer ${token}` } } }),
  );
  return agent;
}
