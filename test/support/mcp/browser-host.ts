import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CallToolResult, Client, type OAuthDiscoveryState, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { KEEPS_IDLE } from '../keeps-idle.ts';

/** An agent's host, which knows only the address of one MCP server. */
export interface BrowserHost {
  /** Connects. If the server requires a sign-in, calls `openBrowser` with the sign-in address. */
  connect(): Promise<void>;
  call(name: string, input: object): Promise<CallToolResult>;
  close(): Promise<void>;
}

/** Starts a host with the official client and a loopback redirect, like a desktop program. */
export async function aBrowserHost(endpoint: string, openBrowser: (url: string) => void): Promise<BrowserHost> {
  let cameBack = (_answer: URLSearchParams) => {};
  const server = createServer(KEEPS_IDLE, (request, response) => {
    const url = new URL(request.url!, 'http://host');
    if (url.pathname !== '/callback') return response.writeHead(404).end();
    response.writeHead(200, { 'Content-Type': 'text/html' }).end('<title>Desk agent</title><h1>You can close this window.</h1>');
    return cameBack(url.searchParams);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const redirectUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
  const kept: { client?: { client_id: string }; tokens?: { access_token: string; token_type: string }; discovery?: OAuthDiscoveryState } =
    {};
  let verifier = '';
  const authProvider = {
    redirectUrl,
    clientMetadata: { client_name: 'Desk agent', redirect_uris: [redirectUrl] },
    clientInformation: () => kept.client,
    saveClientInformation: (client: { client_id: string }) => void Object.assign(kept, { client }),
    tokens: () => kept.tokens,
    saveTokens: (tokens: object) => void Object.assign(kept, { tokens }),
    codeVerifier: () => verifier,
    saveCodeVerifier: (value: string) => {
      verifier = value;
    },
    invalidateCredentials: (_what: string) => void delete kept.tokens,
    discoveryState: () => kept.discovery,
    saveDiscoveryState: (discovery: OAuthDiscoveryState) => void Object.assign(kept, { discovery }),
    redirectToAuthorization: (url: URL) => openBrowser(url.href),
  };
  const transport = () => new StreamableHTTPClientTransport(new URL(endpoint), { authProvider });
  const aClient = () => new Client({ name: 'Desk agent', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  let client = aClient();
  return {
    async connect() {
      const answered = new Promise<URLSearchParams>((resolve) => {
        cameBack = resolve;
      });
      const first = transport();
      const isLetIn = await aClient()
        .connect(first)
        .then(() => true)
        .catch(() => false);
      if (!isLetIn) await first.finishAuth(await answered);
      client = aClient();
      await client.connect(transport());
    },
    call: async (name, input) => (await client.callTool({ name, arguments: { ...input } })) as CallToolResult,
    async close() {
      server.closeAllConnections();
      server.close();
      await client.close();
    },
  };
}
