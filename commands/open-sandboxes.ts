import { join, resolve } from 'node:path';
import { keepSuccess } from '../domain/keep-success.ts';
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
  /** Ends everything that runs in them. */
  close(): Promise<void>;
}

type SandboxesConfig = Pick<Config, 'dataDir' | 'cacheDir' | 'advancedCode'> & { code: Pick<Config['code'], 'memoryMb'> };

/** `isolatesAhead`: how many are kept started, once there are any: at rest, and at most when many were wanted lately. */
export function openSandboxes(config: SandboxesConfig, logger: Logger, isolatesAhead: { least: number; most: number }): Sandboxes {
  const isolates = keepSuccess(async (): Promise<Sandbox> => {
    const { openSandbox } = await import('../sandbox/open-sandbox.ts');
    return openSandbox({ logger, memoryMb: config.code.memoryMb, poolSize: isolatesAhead.least, poolMost: isolatesAhead.most });
  });
  const programs = keepSuccess(async (): Promise<Programs> => {
    const { openPrograms } = await import('../sandbox/open-programs.ts');
    const hidden = [join(import.meta.dirname, '..'), resolve(config.dataDir), ...(config.cacheDir ? [resolve(config.cacheDir)] : [])];
    return openPrograms({ logger, allowsBare: config.advancedCode.allowsUnconfined, hidden });
  });
  return {
    isolates,
    programs,
    async close() {
      const open = await Promise.allSettled([isolates.current(), programs.current()]);
      await Promise.allSettled(open.map((one) => (one.status === 'fulfilled' ? one.value?.close() : undefined)));
    },
  };
}
