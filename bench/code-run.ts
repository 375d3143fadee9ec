import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { TestBed } from '../test/support/test-bed.ts';
import { type Bar, median, type Rounds, steadyRounds, timeBar } from './bar.ts';
import { openServer } from './open-server.ts';
import { report } from './report.ts';
import { startReference } from './start-reference.ts';
import { startTemporalReference } from './start-temporal-reference.ts';

/** node bench/code-run.ts: bars 7 and 8 and the bar of resumed runs, on a durable Postgres. */
const RUNS_A_ROUND = 8;
/** Pause in ms between two runs, in which an agent would read the answer. */
const PAUSE_MS = 300;

const TEN_CALLS = "let d = 'x'; for (let i = 0; i < 10; i += 1) d = (await svc.hash_encode.hash({ text: d })).digest; return d";
const RECORDED_CALLS = 100;
/**
 * The program computes the action's name, so no plan predicts the call and the run pauses in the
 * pass.
 */
const PAUSED = `
  let last;
  for (let i = 0; i < ${RECORDED_CALLS}; i += 1) last = await svc.hash_encode.hash({ text: String(i) });
  return await svc.hash_encode[['generate', 'uuid'].join(last.digest.length > 9 ? '_' : '-')]({});`;

await report(async (bed) => [...(await inProcessBars(bed)), ...(await upstreamBars(bed)), ...(await resumeBar(bed))], { durable: true });

/** Bar 7: a run of ten calls, compared with a bare isolate and a bare Temporal workflow. */
async function inProcessBars(bed: TestBed): Promise<Bar[]> {
  const execute = executing(await openServer(bed, { mode: 'CODE', integrations: ['hash-encode'] }));
  const isolate = await startReference('bare-isolate.ts', { calls: 10 }, ['--no-node-snapshot']);
  const temporal = await startTemporalReference(bed);
  try {
    const ours = async () => timed(() => execute(TEN_CALLS));
    const reference = async () => {
      const isolateMs = Number(await (await fetch(isolate.origin)).text());
      const start = { taskQueue: temporal.taskQueue, workflowId: randomUUID() };
      return isolateMs + (await timed(() => temporal.client.workflow.execute('bareActivityWorkflow', start)));
    };
    return [
      timeBar('7 run of 10 in-process calls, after a pause', 1, await inTurns(ours, reference)),
      timeBar('7 the same, one run right after another', 1, await inTurns(() => ours(), reference, { pauseMs: 0 })),
    ];
  } finally {
    isolate.stop();
    await temporal.stop();
  }
}

/** Bar 8: a run of ten HTTP requests, compared with ten tools/call on a server in TOOLS mode. */
async function upstreamBars(bed: TestBed): Promise<Bar[]> {
  const [code, tools, upstream] = [
    await openServer(bed, { mode: 'CODE', integrations: ['http'] }),
    await openServer(bed, { mode: 'TOOLS', integrations: ['http'] }),
    await startReference('receiver.ts'),
  ];
  const execute = executing(code);
  const measure = async (method: string) => {
    const input = { method, url: `${upstream.origin}/` };
    const ours = () => timed(() => execute(`for (let i = 0; i < 10; i += 1) await svc.http.send_request(${JSON.stringify(input)});`));
    const reference = () =>
      timed(async () => {
        for (let count = 0; count < 10; count += 1) await callTool(tools, 'http__send_request', input);
      });
    return timeBar(`8 run of 10 ${method} requests`, 1.3, await inTurns(ours, reference));
  };
  try {
    return [await measure('GET'), await measure('POST')];
  } finally {
    upstream.stop();
  }
}

async function resumeBar(bed: TestBed): Promise<Bar[]> {
  const server = await openServer(bed, { mode: 'CODE', integrations: ['hash-encode'] });
  const { post, serverId, workspaceId } = server;
  await post('/approval-policies', { name: 'Ids', workspaceId, actionNames: ['generate_uuid'], riskMode: 'always' });
  const execute = executing(server, 'approval_required');
  const path = `/mcp/servers/${serverId}/execute-code`;
  let approvalId = '';
  const firstPass = () =>
    timed(async () => {
      approvalId = (await execute(PAUSED)).approval.id;
    });
  const resume = async () => {
    await post(`/approvals/${approvalId}/approve`, {});
    await delay(PAUSE_MS);
    return timed(async () => {
      const { structuredContent } = await post(path, { approvalId, waitForApprovalSeconds: 0 });
      if (structuredContent?.status !== 'executed') throw new Error(`the run did not go on: ${JSON.stringify(structuredContent)}`);
    });
  };
  // `inTurns` calls `firstPass` before `resume`, which needs the approval of that pass.
  const { ours, reference } = await inTurns(firstPass, resume, { runs: 4 });
  return [timeBar(`resume of a run with ${RECORDED_CALLS} recorded calls`, 1.5, { ours: reference, reference: ours })];
}

type Server = Awaited<ReturnType<typeof openServer>>;

function executing({ post, serverId }: Server, status = 'executed') {
  return async (code: string) => {
    const { structuredContent } = await post(`/mcp/servers/${serverId}/execute-code`, { code });
    if (structuredContent?.status !== status) throw new Error(`not ${status}: ${JSON.stringify(structuredContent)}`);
    return structuredContent;
  };
}

async function callTool({ apiUrl, serverId, token }: Server, name: string, input: object): Promise<void> {
  const headers = {
    authorization: `Bearer ${token}`,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } });
  const text = await (await fetch(`${apiUrl}/mcp/srv_${serverId}`, { method: 'POST', headers, body })).text();
  if (!text.includes('200') || text.includes('"isError":true')) throw new Error(`${name}: ${text.slice(0, 300)}`);
}

/** With `pauseMs` 0, measures all runs of the service before those of the reference. */
async function inTurns(
  ours: () => Promise<number>,
  reference: () => Promise<number>,
  { pauseMs = PAUSE_MS, runs = RUNS_A_ROUND } = {},
): Promise<Rounds<number>> {
  const round = async () => {
    const times: Rounds<number> = { ours: [], reference: [] };
    for (let run = 0; run < runs; run += 1) {
      times.ours.push(await ours());
      await delay(pauseMs);
      if (pauseMs > 0) times.reference.push(await reference());
    }
    for (let run = 0; pauseMs === 0 && run < runs; run += 1) times.reference.push(await reference());
    return { ours: median(times.ours), reference: median(times.reference) };
  };
  return steadyRounds(round, (ms) => ms);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
