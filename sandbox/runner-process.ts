import type { ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** The process at the end of a chain of only children: of a runner's wrappers, the runner itself. The given one where there is no /proc. */
export async function innermostProcess(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'latin1').catch(() => '');
  const child = Number(text.split(' ')[0]);
  return child > 0 ? innermostProcess(child) : pid;
}

/**
 * A runner lowers its own priority when its code begins. Where the kernel shares the processor by sessions, of which each runner is one, that
 * counts within its session only; what the session as a whole gets is said here, to the kernels that know it.
 */
export function yieldToOthers(pid: number | undefined): void {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(NICENESS_OF_CODE));
  } catch {
    // Another kind of machine, or a kernel that takes only so many of these a second.
  }
}

const NICENESS_OF_CODE = 5;

/**
 * Ends a runner so that nothing of it is left to whoever is the first process here, which in a container may be us: what made the namespaces outlives
 * its only child, takes note of its end, and ends itself. It is killed where it has no child yet.
 */
export function killRunner(child: ChildProcess, hasOwnRoot: boolean): void {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const inner = hasOwnRoot ? firstChildOf(child.pid) : undefined;
  try {
    if (inner) return void process.kill(inner, 'SIGKILL');
  } catch {
    // It has just ended, or we lack the right to signal another user.
  }
  child.kill('SIGKILL');
}

function firstChildOf(pid: number | undefined): number | undefined {
  try {
    return Number.parseInt(readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1'), 10) || undefined;
  } catch {
    return undefined;
  }
}
