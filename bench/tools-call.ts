import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Pool } from 'undici';
import { openTestBed } from '../test/support/test-bed.ts';
import { openServer } from './open-server.ts';

/** node bench/tools-call.ts: an ungated MCP tools/call (token, policies, record kept) against the SDK's stateless echo, interleaved. */
const ROUNDS = 5;
const ROUND_MS = 3000;
const CALL = { jsonrpc: '2.0', id: 1, method: 'tools/call' };
const ARGUMENTS = { dateString: '2026-03-05T10:00:00Z' };

interface Target {
  origin: string;
  path: string;
  token: string;
  tool: string;
}

interface Round {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
}

const { bed, close } = openTestBed();
const echo = spawn(process.execPath, [new URL('ref/mcp-echo.ts', import.meta.url).pathname], { stdio: ['ignore', 'pipe', 'inherit'] });
try {
  const reference: Target = { origin: `http://127.0.0.1:${await firstLine(echo)}`, path: '/', token: 'none', tool: 'echo' };
  const { apiUrl, serverId, token } = await openServer(bed, { mode: 'TOOLS', integrations: ['datetime'] });
  const ours: Target = { origin: apiUrl, path: `/mcp/srv_${serverId}`, token, tool: 'datetime__parse_date' };
  for (const connections of [1, 16, 64]) await compare(ours, reference, connections);
} finally {
  echo.kill();
  await close();
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  const [chunk] = await once(stdout!, 'data');
  return String(chunk).trim();
}

async function compare(ours: Target, reference: Target, connections: number): Promise<void> {
  const rounds: { ours: Round[]; reference: Round[] } = { ours: [], reference: [] };
  await Promise.all([run(ours, connections), run(reference, connections)]);
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.ours.push(await run(ours, connections));
    rounds.reference.push(await run(reference, connections));
  }
  const of = (side: Round[], field: keyof Round) => median(side.map((round) => round[field]));
  const rates = rounds.reference.map(({ perSecond }) => perSecond);
  console.table({
    [`${connections} connections`]: {
      'calls/s': Math.round(of(rounds.ours, 'perSecond')),
      'echo/s': Math.round(of(rounds.reference, 'perSecond')),
      ratio: (of(rounds.ours, 'perSecond') / of(rounds.reference, 'perSecond')).toFixed(2),
      'echo spread': `${Math.round(((Math.max(...rates) - Math.min(...rates)) / median(rates)) * 100)} %`,
      'p50 ms': of(rounds.ours, 'p50Ms').toFixed(2),
      'echo p50 ms': of(rounds.reference, 'p50Ms').toFixed(2),
      'p99 ms': of(rounds.ours, 'p99Ms').toFixed(2),
      'echo p99 ms': of(rounds.reference, 'p99Ms').toFixed(2),
    },
  });
}

async function run({ origin, path, token, tool }: Target, connections: number): Promise<Round> {
  const pool = new Pool(origin, { connections });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const body = JSON.stringify({ ...CALL, params: { name: tool, arguments: ARGUMENTS } });
  const times: number[] = [];
  const startedAt = performance.now();
  const caller = async () => {
    while (performance.now() < startedAt + ROUND_MS) {
      const sentAt = performance.now();
      const answer = await pool.request({ method: 'POST', path, headers, body });
      const text = await answer.body.text();
      if (!text.includes('2026-03-05')) throw new Error(`${answer.statusCode} ${text.slice(0, 200)}`);
      times.push(performance.now() - sentAt);
    }
  };
  await Promise.all(Array.from({ length: connections }, caller));
  const perSecond = times.length / ((performance.now() - startedAt) / 1000);
  await pool.close();
  times.sort((a, b) => a - b);
  return { perSecond, p50Ms: times[Math.floor(times.length * 0.5)]!, p99Ms: times[Math.floor(times.length * 0.99)]! };
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
