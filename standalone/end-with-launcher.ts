import { readFileSync } from 'node:fs';

/**
 * Calls `stop` once when the process that launched this process ends. npm starts a shell in
 * between, which does not pass signals on.
 */
export function endWithLauncher(stop: () => void): void {
  const launcher = findLauncher();
  const timer = setInterval(() => {
    if (findLauncher() === launcher) return;
    clearInterval(timer);
    stop();
  }, 250);
  timer.unref();
}

/** Our parent process and, on Linux, its parent: the shell and npm. */
function findLauncher(): string {
  try {
    const stat = readFileSync(`/proc/${process.ppid}/stat`, 'utf8');
    return `${process.ppid} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]}`;
  } catch {
    return `${process.ppid}`;
  }
}
