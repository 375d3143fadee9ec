import type { ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** Follows the first child of each process. Returns the pid of the last process. */
export async function innermostProcess(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'latin1').catch(() => '');
  const child = Number(text.split(' ')[0]);
  return child > 0 ? innermostProcess(child) : pid;
}

/**
 * Lowers the priority of a runner's session. Some kernels schedule by session, and there a nice
 * value counts only within the session.
 */
export function yieldToOthers(pid: number | undefined): void {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(NICENESS_OF_CODE));
  } catch {
    // This system has no such file, or restricts writes to it.
  }
}

const NICENESS_OF_CODE = 5;

/**
 * Kills a runner without leaving a zombie. With `hasOwnRoot`, only the runner inside the wrapper is
 * killed: the wrapper reaps it and exits.
 */
export function killRunner(child: ChildProcess, hasOwnRoot: boolean): void {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const inner = hasOwnRoot ? firstChildOf(child.pid) : undefined;
  try {
    if (inner) return void process.kill(inner, 'SIGKILL');
  } catch {
    // The runner has just ended, or runs as another user whom this process may not signal.
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
