import { readFileSync } from 'node:fs';
import type { Confinement } from '../../sandbox/host/confinement.ts';
import { launchRunner } from '../../sandbox/host/launch-runner.ts';
import { loadRunnerProgram } from '../../sandbox/host/runner-program.ts';

export const bare: Confinement = {
  hasOwnRoot: false,
  hasNoNetwork: false,
  user: 'same',
  hasNoPrivileges: false,
  hasResourceLimits: false,
  hasCallFilter: false,
};
export const program = loadRunnerProgram();
export const launch = (confinement = bare) => launchRunner({ program, confinement, memoryMb: 128 });

export function childrenOf(pid: number): number[] {
  return textOf(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}

/** The text of a file in /proc. Empty if the process has ended. */
export function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
