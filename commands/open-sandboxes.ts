import { join, resolve } from 'node:path';
import pLimit from 'p-limit';
import { SANDBOX_PROGRAM } from '../domain/limits.ts';
import type { Config } from '../infra/config.ts';
import type { Logger } from '../infra/logger.ts';
import type { Programs } from '../sandbox/open-programs.ts';
import type { Sandbox } from '../sandbox/open-sandbox.ts';

/** The sandboxes of this process, each opened when it is first needed: at rest they cost nothing. */
export interface Sandboxes {
  /** For JavaScript. Rejects when isolated-vm is missing or unsafe. */
  isolates(): Promise<Sandbox>;
  /** For Python and shell. */
  programs(): Promise<Programs>;
  /** What an action of this organization runs takes its turn here: no caller can take the machine's memory, nor all the places. */
  inTurn<Result>(orgId: string, work: () => Promise<Result>): Promise<Result>;
  /** Ends everything that runs in them. */
  close(): Promise<void>;
}

type SandboxesConfig = Pick<Config, 'dataDir' | 'cacheDir' | 'advancedCode'> & { code: Pick<Config['code'], 'memoryMb'> };

/** `poolSize`: isolates kept started ahead, once there are any. */
export function openSandboxes(config: SandboxesConfig, logger: Logger, poolSize: number): Sandboxes {
  let isolates: Promise<Sandbox> | undefined;
  let programs: Promise<Programs> | undefined;
  const openIsolates = async () => {
    const { openSandbox } = await import('../sandbox/open-sandbox.ts');
    return openSandbox({ logger, memoryMb: config.code.memoryMb, poolSize });
  };
  const openProgramsHere = async () => {
    const { openPrograms } = await import('../sandbox/open-programs.ts');
    const hidden = [join(import.meta.dirname, '..'), resolve(config.dataDir), ...(config.cacheDir ? [resolve(config.cacheDir)] : [])];
    return openPrograms({ logger, allowsBare: config.advancedCode.allowsUnconfined, hidden });
  };
  return {
    isolates() {
      isolates ??= openIsolates();
      return isolates;
    },
    programs() {
      programs ??= openProgramsHere();
      return programs;
    },
    inTurn: openTurns(),
    async close() {
      const open = await Promise.allSettled([isolates, programs]);
      await Promise.allSettled(open.map((one) => (one.status === 'fulfilled' ? one.value?.close() : undefined)));
    },
  };
}

function openTurns(): Sandboxes['inTurn'] {
  const all = pLimit(SANDBOX_PROGRAM.atOnce);
  const orgs = new Map<string, ReturnType<typeof pLimit>>();
  return async (orgId, work) => {
    const own = orgs.get(orgId) ?? pLimit(SANDBOX_PROGRAM.atOnceOfOrg);
    orgs.set(orgId, own);
    try {
      return await own(() => all(work));
    } finally {
      if (own.activeCount + own.pendingCount === 0 && orgs.get(orgId) === own) orgs.delete(orgId);
    }
  };
}
