import type { ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/**
 * The innermost process of a chain of single children: for a runner and its wrappers, the runner.
 * The given process if there is no /proc.
 */
export async function innermostProcess(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'latin1').catch(() => '');
  const child = Number(text.split(' ')[0]);
  return child > 0 ? innermostProcess(child) : pid;
}

/**
 * Lowers the priority of a runner's session when its code begins. On a kernel that schedules by
 * sessions, a runner's own nice value counts only within its session.
 */
export function yieldToOthers(pid: number | undefined): void {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(NICENESS_OF_CODE));
  } catch {
    // Another system, or a kernel that restricts these writes.
  }
}

const NICENESS_OF_CODE = 5;

/**
 * Kills a runner without leaving a zombie to the first process of a container, which may be this
 * one. The wrapper outlives its only child, reaps it and exits. If there is no child, the wrapper
 * is killed.
 */
export function killRunner(child: ChildProcess, hasOwnRoot: boolean): void {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const inner = hasOwnRoot ? firstChildOf(child.pid) : undefined;
  try {
    if (inner) return void process.kill(inner, 'SIGKILL');
  } catch {
    // It has just ended, or this process may not signal another user's process.
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
