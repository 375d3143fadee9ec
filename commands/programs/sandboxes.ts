import { join, resolve } from 'node:path';
import { lazy } from '../../domain/lazy.ts';
import type { Config } from '../../infra/config.ts';
import type { Logger } from '../../infra/logger.ts';
import type { Sandbox } from '../../sandbox/host/open-sandbox.ts';
import type { Programs } from '../../sandbox/program/open-programs.ts';

/** The sandboxes of this process. Each is opened on first use, so an unused one costs nothing. */
export interface Sandboxes {
  /** For JavaScript. Rejects when isolated-vm is missing or unsafe. */
  isolates(): Promise<Sandbox>;
  /** For Python and shell. */
  programs(): Promise<Programs>;
  /** Ends everything that runs in them. */
  close(): Promise<void>;
}

type SandboxesConfig = Pick<Config, 'dataDir' | 'cacheDir' | 'advancedCode'> & { code: Pick<Config['code'], 'memoryMb'> };

/**
 * `isolatesAhead`: how many runners the pool keeps started, idle (`least`) and after a burst
 * (`most`).
 */
export function openSandboxes(config: SandboxesConfig, logger: Logger, isolatesAhead: { least: number; most: number }): Sandboxes {
  const isolates = lazy(async (): Promise<Sandbox> => {
    const { openSandbox } = await import('../../sandbox/host/open-sandbox.ts');
    return openSandbox({ logger, memoryMb: config.code.memoryMb, poolSize: isolatesAhead.least, poolMost: isolatesAhead.most });
  });
  const programs = lazy(async (): Promise<Programs> => {
    const { openPrograms } = await import('../../sandbox/program/open-programs.ts');
    const hidden = [join(import.meta.dirname, '../..'), resolve(config.dataDir), ...(config.cacheDir ? [resolve(config.cacheDir)] : [])];
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
