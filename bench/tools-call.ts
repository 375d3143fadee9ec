import type { TestBed } from '../test/support/test-bed.ts';
import { type Bar, inTurns, rateBar, timeBar } from './bar.ts';
import { load, type Target } from './load.ts';
import { openServer } from './open-server.ts';
import { report } from './report.ts';
import { startReference } from './start-reference.ts';

await report(toolsCallBars);

/**
 * node bench/tools-call.ts measures an MCP tools/call, compared with the SDK's stateless echo
 * server. These are the bars with the number 3.
 */
async function toolsCallBars(bed: TestBed): Promise<Bar[]> {
  const { apiUrl, serverId, token, workspaceId, post } = await openServer(bed, { mode: 'TOOLS', integrations: ['datetime'] });
  await post('/end-users', { workspaceId, externalId: 'ada' });
  const { server: signedIn } = await post('/mcp/servers', { name: 'By OAuth', workspaceId });
  const { accessToken } = await post(`/mcp/servers/${signedIn.id}/oauth-tokens`, { endUserId: 'ada' });
  const echo = await startReference('mcp-echo.ts');
  try {
    const call = (name: string) => () => ({
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name, arguments: { dateString: '2026-03-05T10:00:00Z' } },
    });
    const common = { method: 'POST', answers: '2026-03-05' } as const;
    const ours: Target = { ...common, origin: apiUrl, path: `/mcp/srv_${serverId}`, token, body: call('datetime__parse_date') };
    const reference: Target = { ...common, origin: echo.origin, path: '/', token: 'none', body: call('echo') };
    const byOAuth: Target = { ...ours, path: `/mcp/srv_${signedIn.id}`, token: accessToken };
    const bars: Bar[] = [];
    for (const connections of [1, 64]) {
      const rounds = await inTurns(
        () => load(ours, connections),
        () => load(reference, connections),
      );
      bars.push(rateBar(`3 tools/call, ${connections} connection${connections > 1 ? 's' : ''}`, connections > 1 ? 1 : 0.8, rounds));
      if (connections === 64) {
        const p99 = (side: { p99Ms: number }[]) => side.map(({ p99Ms }) => p99Ms);
        bars.push(timeBar('3 the same, p99', 1, { ours: p99(rounds.ours), reference: p99(rounds.reference) }));
      }
    }
    const rounds = await inTurns(
      () => load(byOAuth, 64),
      () => load(reference, 64),
    );
    bars.push(rateBar('3 tools/call by an OAuth token, 64 connections', 1, rounds));
    return bars;
  } finally {
    echo.stop();
  }
}
