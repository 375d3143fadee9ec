import { freePort } from '../../../standalone/free-port.ts';
import { runSuite } from '../mcp/conformance/run-suite.ts';
import { aClient, aPerson, aServer, authorize, type OAuthBed, openOAuthBed } from './oauth-bed.ts';

let bed: OAuthBed;
beforeAll(async () => {
  bed = await openOAuthBed();
}, 120_000);
afterAll(() => bed?.close());

test('every authorization-server scenario of the conformance suite passes', async () => {
  const [port, server] = await Promise.all([freePort(0), aServer(bed), aPerson(bed, 'ada@example.com')]);
  const { client_id } = await aClient(bed, { redirect_uris: [`http://127.0.0.1:${port}/callback`] });
  let isOpened = false;
  const open = (output: string) => {
    const url = /^http\S+\/oauth\/authorize\?\S+$/m.exec(output)?.[0];
    if (!url || isOpened) return;
    isOpened = true;
    void authorize(bed, url, 'ada@example.com').then((back) => fetch(back));
  };
  const client = ['--client-id', client_id, '--resource', server.mcpEndpoint, '--port', String(port)];
  const { code, output } = await runSuite(['authorization', '--url', bed.apiUrl, ...client], open);
  expect(output).toMatch(/authorization-server-metadata-endpoint: [1-9]\d* passed, 0 failed/);
  expect(output).toMatch(/authorization-code-grant: [1-9]\d* passed, 0 failed/);
  expect(code).toBe(0);
});
