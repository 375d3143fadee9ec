import { Client, type OAuthDiscoveryState, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { aPerson, aServer, authorize, type OAuthBed, openOAuthBed, REDIRECT_URI } from './oauth-bed.ts';
import { aBrowser } from './plain-browser.ts';

let bed: OAuthBed;
beforeAll(async () => {
  bed = await openOAuthBed();
  await aPerson(bed, 'ada@example.com');
  await bed.api.must(201).post(`/api/v1/workspaces/${bed.workspaceId}/integrations`, { integrationName: 'datetime' });
}, 120_000);
afterAll(() => bed?.close());

function aHost(email: string) {
  const kept: { redirects: URL[]; client?: { client_id: string }; tokens?: { access_token: string; token_type: string } } = {
    redirects: [],
  };
  const own = { verifier: '', discovery: undefined as OAuthDiscoveryState | undefined };
  const browser = aBrowser();
  const provider = {
    redirectUrl: REDIRECT_URI,
    clientMetadata: { client_name: 'A host', redirect_uris: [REDIRECT_URI] },
    clientInformation: () => kept.client,
    saveClientInformation: (client: { client_id: string }) => void Object.assign(kept, { client }),
    tokens: () => kept.tokens,
    saveTokens: (tokens: object) => void Object.assign(kept, { tokens }),
    codeVerifier: () => own.verifier,
    saveCodeVerifier: (verifier: string) => void Object.assign(own, { verifier }),
    discoveryState: () => own.discovery,
    saveDiscoveryState: (discovery: OAuthDiscoveryState) => void Object.assign(own, { discovery }),
    redirectToAuthorization: async (url: URL) => void kept.redirects.push(await authorize(bed, url.href, email, browser)),
  };
  return { kept, provider };
}

const expire = () => bed.patient('mcp_tokens').update({ expires_at: bed.patient.raw("now() - interval '1 second'") });

const CALL = { name: 'datetime__format_date', arguments: { date: '2026-03-05T10:00:00Z', format: 'eu' } };
const ANSWER = { structuredContent: { formatted: '05/03/2026', format: 'eu', timezone: 'UTC' } };

test('a client of SDK 1.x needs only the address of a server', async () => {
  const { mcpEndpoint } = await aServer(bed);
  const { kept, provider: authProvider } = aHost('ada@example.com');
  const transport = () => new Transport1(new URL(mcpEndpoint), { authProvider });
  const connect = (one: Transport1) => new Client1({ name: 'test', version: '1' }).connect(one as Parameters<Client1['connect']>[0]);
  const first = transport();
  await expect(connect(first)).rejects.toThrow('Unauthorized');
  await first.finishAuth(kept.redirects[0]!.searchParams.get('code')!);

  const client = new Client1({ name: 'test', version: '1' });
  await client.connect(transport() as Parameters<Client1['connect']>[0]);
  expect(await client.callTool(CALL)).toMatchObject(ANSWER);
  const before = kept.tokens;
  await expire();
  expect(await client.callTool(CALL)).toMatchObject(ANSWER);
  expect(kept.tokens).not.toEqual(before);
  expect(kept.redirects).toHaveLength(1);
  await client.close();
});

test.each(['TOOLS', 'CODE'] as const)('a client of SDK 2.x needs only the address of a %s server', async (mode) => {
  const { mcpEndpoint } = await aServer(bed, { mode });
  const { kept, provider: authProvider } = aHost('ada@example.com');
  const transport = () => new StreamableHTTPClientTransport(new URL(mcpEndpoint), { authProvider });
  const first = transport();
  await expect(new Client({ name: 'test', version: '1' }).connect(first)).rejects.toThrow('Unauthorized');
  await first.finishAuth(kept.redirects[0]!.searchParams);

  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(transport());
  const tool = mode === 'TOOLS' ? CALL : { name: 'svc_search', arguments: { query: 'format a date' } };
  const answer = mode === 'TOOLS' ? ANSWER : { structuredContent: { integrations: [{ alias: 'datetime' }] } };
  expect(await client.callTool(tool)).toMatchObject(answer);
  expect(kept.tokens).toMatchObject({ scope: mode === 'TOOLS' ? 'mcp:tools' : 'mcp:tools mcp:code' });
  const before = kept.tokens;
  await expire();
  expect(await client.callTool(tool)).toMatchObject(answer);
  expect(kept.tokens).not.toEqual(before);
  expect(kept.redirects).toHaveLength(1);
  await client.close();
});
