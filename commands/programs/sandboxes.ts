import { join, resolve } from 'node:path';
import { lazy } from '../../domain/lazy.ts';
import type { Config } from '../../infra/config.ts';
import type { Logger } from '../../infra/logger.ts';
import type { Sandbox } from '../../sandbox/host/open-sandbox.ts';
import type { Programs } from '../../sandbox/program/open-programs.ts';

/** The sandboxes of this process. Each opens at its first use. */
export interface Sandboxes {
  /** Runs JavaScript. Rejects if the sandbox cannot open, for example without isolated-vm. */
  isolates(): Promise<Sandbox>;
  /** Runs Python and shell programs. */
  programs(): Promise<Programs>;
  close(): Promise<void>;
}

type SandboxesConfig = Pick<Config, 'dataDir' | 'cacheDir' | 'advancedCode'> & { code: Pick<Config['code'], 'memoryMb' | 'reusesRunners'> };

/**
 * Maximum numbers of idle runners. `least`: started in advance. `most`: started in advance after a
 * burst. `kept`: used runners.
 */
interface IdleRunners {
  least: number;
  most: number;
  kept: number;
}

/** Creates the sandboxes of a process. None of them opens yet. */
export function openSandboxes(config: SandboxesConfig, logger: Logger, idle: IdleRunners): Sandboxes {
  const isolates = lazy(async (): Promise<Sandbox> => {
    const { openSandbox } = await import('../../sandbox/host/open-sandbox.ts');
    const { memoryMb, reusesRunners } = config.code;
    return openSandbox({ logger, memoryMb, poolSize: idle.least, poolMost: idle.most, keptMost: reusesRunners ? idle.kept : 0 });
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
