import { readFileSync } from 'node:fs';
import type { Confinement } from '../../sandbox/host/confinement.ts';
import { launchRunner } from '../../sandbox/host/launch-runner.ts';
import { loadRunnerProgram } from '../../sandbox/host/runner-program.ts';

/** No confinement at all. */
export const bare: Confinement = {
  hasOwnRoot: false,
  hasNoNetwork: false,
  user: 'same',
  hasNoPrivileges: false,
  hasResourceLimits: false,
  hasCallFilter: false,
};
/** The program that every runner executes. */
export const program = loadRunnerProgram();
/** Launches a runner with 128 MB of memory. */
export const launch = (confinement = bare) => launchRunner({ program, confinement, memoryMb: 128 });

/** The ids of the child processes of a process. */
export function childrenOf(pid: number): number[] {
  return textOf(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}

/** Returns the text of a file in /proc. The text is empty if the process has ended. */
export function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/** Whether a process exists and is not a zombie. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
