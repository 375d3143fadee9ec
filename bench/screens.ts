import { request } from 'undici';
import { openDatabase } from '../infra/database.ts';
import { openTokens } from '../infra/tokens.ts';
import { LARGE } from '../test/support/dashboard/amounts.ts';
import { fillLargeOrg, pathsOf } from '../test/support/dashboard/large-org.ts';
import { signInMember } from '../test/support/dashboard/sign-in-member.ts';
import type { TestBed } from '../test/support/test-bed.ts';
import { type Bar, goalBar, median } from './bar.ts';
import { openServer } from './open-server.ts';
import { report } from './report.ts';

const ROUNDS = 5;
const PRINTED = 15;

/**
 * node bench/screens.ts: the time of each dashboard screen, with 100,000 approvals and calls. First
 * answers do not count.
 */
await report(screenBars, { durable: true });

async function screenBars(bed: TestBed): Promise<Bar[]> {
  const { apiUrl } = await openServer(bed, { mode: 'CODE', integrations: [] });
  const [{ databaseUrl }, env] = await Promise.all([bed.system(), bed.env()]);
  const db = openDatabase({ url: databaseUrl, name: 'bench', maxConnections: 1 });
  try {
    const { id: orgId } = await db('orgs').where({ name: 'Bench' }).first('id');
    const heaviest = await fillLargeOrg(db, orgId, LARGE);
    const owner = { orgId, role: 'owner', email: 'owner@example.com', name: 'Owner' } as const;
    const { sessionToken } = await signInMember({ db, tokens: openTokens(env.TOKEN_PEPPER!) }, owner);
    const headers = { cookie: `gateway=${sessionToken}`, accept: 'text/html', 'accept-encoding': 'br' };
    const first = new Map<string, number>();
    const later = new Map<string, number>();
    for (const path of pathsOf(heaviest)) {
      const times: number[] = [];
      for (let round = 0; round <= ROUNDS; round += 1) times.push(await timeOf(`${apiUrl}/app${path === '/' ? '' : path}`, headers));
      first.set(path, times.shift()!);
      later.set(path, median(times));
    }
    const slowest = [...later].sort(([, a], [, b]) => b - a);
    for (const [path, ms] of slowest.slice(0, PRINTED))
      console.log(`${ms.toFixed(0).padStart(5)} ms, at first ${first.get(path)!.toFixed(0)} ms: ${path}`);
    const [path, ms] = slowest[0]!;
    return [goalBar(`slowest of ${later.size} screens, p50: ${nameOf(path)}`, 300, [ms], 'ms')];
  } finally {
    await db.destroy();
  }
}

/** The time of a request in ms. Does not follow redirects. */
async function timeOf(url: string, headers: Record<string, string>): Promise<number> {
  const startedAt = performance.now();
  const { statusCode, headers: answered, body } = await request(url, { headers });
  await body.arrayBuffer();
  if (statusCode >= 500 || String(answered.location).includes('/sign-in')) throw new Error(`${url}: ${statusCode}`);
  return performance.now() - startedAt;
}

function nameOf(path: string): string {
  return path.replace(/\b(apr_|crun_)?[0-9a-f-]{20,}/g, '…');
}
