import type { TestBed } from '../test/support/test-bed.ts';
import { type Bar, inTurns, median, rateBar, steadyRounds, timeBar } from './bar.ts';
import { load, type Target } from './load.ts';
import { openServer } from './open-server.ts';
import { report } from './report.ts';
import { ECHO_OF_EXECUTOR, type Peers, startPeers } from './start-peers.ts';
import { startReference } from './start-reference.ts';

const RUNS_A_ROUND = 8;
const CALLS = 10;
const CONNECTIONS = 16;

const NAMES = {
  program: `8 run of ${CALLS} calls of an MCP server, against executor`,
  pause: '  a run that pauses, its approval and its answer, against executor',
  call: '6 a call of an MCP server, against mcp-hub',
};

/**
 * node bench/peers.ts: compares the service with `executor` and `mcp-hub` from npm. If a peer
 * cannot start, the bars are void.
 */
await report(peerBars, { durable: true });

async function peerBars(bed: TestBed): Promise<Bar[]> {
  const upstream = await startReference('mcp-echo.ts');
  try {
    const peers = await startPeers(`${upstream.origin}/`).catch((error: Error) => error);
    if (peers instanceof Error) return voidBars(peers);
    try {
      return await compare(bed, peers, `${upstream.origin}/`);
    } finally {
      await peers.stop();
    }
  } finally {
    upstream.stop();
  }
}

async function compare(bed: TestBed, peers: Peers, upstream: string): Promise<Bar[]> {
  const { post, execute, target } = await openOurs(bed, upstream);
  const program = (call: string) => `for (let i = 0; i < ${CALLS}; i += 1) await ${call}({ dateString: '2026-03-05' }); return 1`;
  const ours = () => execute(program('svc.echo.echo'));
  const theirs = async () => void (await peers.execute(program(ECHO_OF_EXECUTOR)));
  const programs = await timesInTurns(ours, theirs);

  const hub: Target = {
    ...{ ...target, origin: peers.hub.origin, path: peers.hub.path, token: 'none' },
    body: () => peers.hub.body('2026-03-05'),
  };
  const calls = await inTurns(
    () => load(target, CONNECTIONS),
    () => load(hub, CONNECTIONS),
  );

  await post('/approval-policies', { name: 'Echo', integrationNames: ['echo'], riskMode: 'always' });
  const rule = { owner: 'org', pattern: 'echo.org.main.echo', action: 'require_approval' };
  await peers.execute(`return await tools.executor.coreTools.policies.create(${JSON.stringify(rule)})`);
  const once = (call: string) => `return await ${call}({ dateString: '2026-03-05' })`;
  const oursPaused = async () => {
    const { approval } = await execute(once('svc.echo.echo'), 'approval_required');
    await post(`/approvals/${approval.id}/approve`, {});
    await execute({ approvalId: approval.id, waitForApprovalSeconds: 0 });
  };
  const theirsPaused = async () => {
    if ((await peers.execute(once(ECHO_OF_EXECUTOR))) !== 1) throw new Error('executor did not pause');
  };
  const pauses = await timesInTurns(oursPaused, theirsPaused);
  return [timeBar(NAMES.program, 0.5, programs), rateBar(NAMES.call, 1.2, calls), timeBar(NAMES.pause, 1, pauses)];
}

async function openOurs(bed: TestBed, upstream: string) {
  const { apiUrl, workspaceId, post } = await openServer(bed, { mode: 'CODE', integrations: [] });
  await post('/integrations/import', { kind: 'mcp', name: 'echo', url: upstream });
  await post(`/workspaces/${workspaceId}/integrations`, { integrationName: 'echo' });
  const code = await post('/mcp/servers', { name: 'Code', workspaceId, mode: 'CODE', authMode: 'bearer' });
  const tools = await post('/mcp/servers', { name: 'Tools', workspaceId, mode: 'TOOLS', authMode: 'bearer' });
  const execute = async (given: string | object, status = 'executed') => {
    const body = typeof given === 'string' ? { code: given } : given;
    const { structuredContent } = await post(`/mcp/servers/${code.server.id}/execute-code`, body);
    if (structuredContent?.status !== status) throw new Error(`not ${status}: ${JSON.stringify(structuredContent)}`);
    return structuredContent;
  };
  const call = {
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
    params: { name: 'echo__echo', arguments: { dateString: '2026-03-05' } },
  };
  const target: Target = {
    ...{ origin: apiUrl, token: tools.bearerToken, method: 'POST', path: `/mcp/srv_${tools.server.id}` },
    ...{ body: () => call, answers: '2026-03-05' },
  };
  return { post, execute, target };
}

function timesInTurns(ours: () => Promise<unknown>, theirs: () => Promise<unknown>) {
  const round = async () => {
    const times = { ours: [] as number[], reference: [] as number[] };
    for (let run = 0; run < RUNS_A_ROUND; run += 1) {
      times.ours.push(await timed(ours));
      times.reference.push(await timed(theirs));
    }
    return { ours: median(times.ours), reference: median(times.reference) };
  };
  return steadyRounds(round, (ms) => ms);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

function voidBars({ message }: Error): Bar[] {
  console.log(`The peers could not be installed or started, so nothing was compared: ${message}`);
  const none = { measured: '-', reference: '-', ratio: '-', 'reference spread': '-', pass: 'void' } as const;
  return [
    { bar: NAMES.program, goal: '≤ 0.5', ...none },
    { bar: NAMES.call, goal: '≥ 1.2', ...none },
    { bar: NAMES.pause, goal: '≤ 1', ...none },
  ];
}
