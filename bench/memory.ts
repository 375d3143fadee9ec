import { Pool } from 'undici';
import type { TestBed } from '../test/support/test-bed.ts';
import { type Bar, timeBar } from './bar.ts';
import { openServer } from './open-server.ts';
import { report } from './report.ts';
import { serviceMemoryMb } from './service-memory.ts';

const CONNECTIONS = 16;
const CALLS = { first: 5000, all: 50_000 };
const RUNS = { first: 500, all: 5000 };
const RUNS_AT_ONCE = 8;

/**
 * node bench/memory.ts: bar 14: the memory of the API and the worker after many calls and code
 * runs.
 */
await report(async (bed) => [await callsBar(bed), await runsBar(bed)]);

async function callsBar(bed: TestBed): Promise<Bar> {
  const { apiUrl, key, workspaceId } = await openServer(bed, { mode: 'TOOLS', integrations: ['hash-encode'] });
  const pool = new Pool(apiUrl, { connections: CONNECTIONS });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  let made = 0;
  const caller = async (until: number) => {
    while (made < until) {
      made += 1;
      const input = { text: String(made) };
      const body = JSON.stringify({ workspaceId, integrationName: 'hash-encode', actionName: 'hash', input });
      const answer = await pool.request({ method: 'POST', path: '/api/v1/actions/execute', headers, body });
      const text = await answer.body.text();
      if (answer.statusCode !== 200) throw new Error(`a call failed: ${answer.statusCode} ${text.slice(0, 200)}`);
    }
  };
  const after = async (until: number) => {
    await Promise.all(Array.from({ length: CONNECTIONS }, () => caller(until)));
    return serviceMemoryMb();
  };
  const early = await after(CALLS.first);
  const late = await after(CALLS.all);
  await pool.close();
  return timeBar('14 memory after 50,000 calls, against after 5,000', 1.3, { ours: [late], reference: [early] }, 'MB');
}

async function runsBar(bed: TestBed): Promise<Bar> {
  const { post, serverId } = await openServer(bed, { mode: 'CODE', integrations: [] });
  let made = 0;
  const caller = async (until: number) => {
    while (made < until) {
      made += 1;
      const { structuredContent } = await post(`/mcp/servers/${serverId}/execute-code`, { code: `return ${made}` });
      if (structuredContent?.status !== 'executed') throw new Error(`a run failed: ${JSON.stringify(structuredContent)}`);
    }
  };
  const after = async (until: number) => {
    await Promise.all(Array.from({ length: RUNS_AT_ONCE }, () => caller(until)));
    return serviceMemoryMb();
  };
  const early = await after(RUNS.first);
  const late = await after(RUNS.all);
  return timeBar('14 memory after 5,000 runs, against after 500', 1.3, { ours: [late], reference: [early] }, 'MB');
}
