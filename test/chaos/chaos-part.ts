import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startProcess } from '../../standalone/gateway-processes.ts';
import type { Program } from '../../standalone/run-program.ts';

/** A part of the system that can be killed and restarted. */
export interface ChaosPart {
  /**
   * Resolves when the process has exited. The part restarts immediately; with `stayAway`, only
   * `restart` restarts it.
   */
  kill(options?: { stayAway?: boolean }): Promise<void>;
  restart(): Promise<void>;
  /** Resolves when the last restart has finished. */
  back(): Promise<void>;
  pid(): number;
}

/** Starts a part. Its `kill` sends `signal` to the process. */
export async function startPart(
  start: () => Promise<Program>,
  signal: NodeJS.Signals,
): Promise<{ part: ChaosPart; stop: () => Promise<void> }> {
  let current = await start();
  let isOver = false;
  let staysAway = false;
  let coming: Promise<void> = Promise.resolve();

  const comeBack = async () => {
    for (let left = 5; !isOver; left -= 1) {
      try {
        current = await start();
        return watch(current);
      } catch (error) {
        if (left === 0) throw error;
        await delay(200);
      }
    }
  };
  const watch = (program: Program) => {
    void program.exited.then(() => {
      if (isOver || staysAway || program !== current) return;
      coming = comeBack();
      coming.catch(() => {}); // `back` reports this error
    });
  };
  watch(current);

  const part: ChaosPart = {
    async kill({ stayAway = false } = {}) {
      staysAway = stayAway;
      await coming;
      process.kill(current.pid, signal);
      await current.exited;
    },
    async restart() {
      staysAway = false;
      coming = comeBack();
      await coming;
    },
    async back() {
      await coming;
    },
    pid: () => current.pid,
  };
  return {
    part,
    stop: async () => {
      isOver = true;
      await coming.catch(() => {});
      await current.stop();
    },
  };
}

/**
 * Starts a process. Resolves when its log contains `word`; throws if the process ends before that.
 */
export async function untilItSays(
  word: string,
  name: 'api' | 'worker',
  dataDir: string,
  env: Record<string, string | undefined>,
): Promise<Program> {
  const logFile = join(dataDir, 'logs', `${name}.log`);
  const from = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  const program = await startProcess(name, dataDir, env);
  let isGone = false;
  void program.exited.then(() => {
    isGone = true;
  });
  while (!readFileSync(logFile, 'utf8').slice(from).includes(word)) {
    if (isGone) throw new Error(`${program.name} ended: ${program.lastWords()}`);
    await delay(20);
  }
  return program;
}
