import { fork } from 'node:child_process';
import { once } from 'node:events';
import { childEnvironment } from '../../infra/config.ts';
import { cloneDatabase, testEnvironment } from './ask-test-bed.ts';
import { type Caller, callerOf } from './caller.ts';
import { newOrg } from './new-org.ts';

/** A turn of the event loop must take less processor time than this. */
const LONGEST_MS = 20;
/** One measurement below the limit suffices: compilation and garbage collection lengthen others. */
const TRIES = 24;

/** An API in its own process and on its own database, with a measured event loop. */
export interface ProbedApi {
  api: Caller;
  apiUrl: string;
  databaseUrl: string;
  orgId: string;
  workspaceId: string;
  /** Expects that `work` blocks the event loop only briefly, in the best of several runs. */
  expectShort(work: () => Promise<unknown>): Promise<void>;
  close(): Promise<void>;
}

/** Starts the API with these environment variables and without Temporal. */
export async function openProbedApi(env: Record<string, string> = {}): Promise<ProbedApi> {
  const [database, common] = await Promise.all([cloneDatabase(), testEnvironment()]);
  const settings = { ...common, DATABASE_URL: database.url, TEMPORAL_ADDRESS: '127.0.0.1:2', LOG_LEVEL: 'silent', ...env };
  const process = fork(new URL('./probed-api.ts', import.meta.url), { env: childEnvironment(settings), execArgv: [] });
  const [{ apiUrl }] = (await once(process, 'message')) as [{ apiUrl: string }];
  const { plainKey, orgId, workspaceId } = await newOrg(database.url, 'Probed');
  const longest = async () => {
    const answer = once(process, 'message') as Promise<[{ longestMs: number }]>;
    process.send({});
    return (await answer)[0].longestMs;
  };
  return {
    ...{ apiUrl, orgId, workspaceId, databaseUrl: database.url, api: callerOf(apiUrl, plainKey) },
    async expectShort(work) {
      let best = Number.POSITIVE_INFINITY;
      for (let tries = 0; tries < TRIES && best >= LONGEST_MS; tries += 1) {
        await longest();
        await work();
        best = Math.min(best, await longest());
      }
      expect(best).toBeLessThan(LONGEST_MS);
    },
    async close() {
      const ended = once(process, 'exit');
      // The process is killed, because Node can hang at exit (nodejs/node#54918).
      process.kill('SIGKILL');
      await ended;
      await database.drop();
    },
  };
}
