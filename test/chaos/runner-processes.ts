import { readdir, readFile } from 'node:fs/promises';

/** Kills every runner process of a worker. Returns their number. */
export async function killRunners(workerPid: number): Promise<number> {
  const runners = await findRunners(workerPid);
  for (const pid of runners) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // already exited
    }
  }
  return runners.length;
}

interface Process {
  pid: number;
  parentPid: number;
  command: string;
}

/**
 * A child with `--jitless` is a runner if it has no children. Otherwise it only holds a namespace,
 * and its innermost descendants are the runners.
 */
async function findRunners(workerPid: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const all = (await Promise.all(pids.map((pid) => look(pid).catch(() => undefined)))).filter((one) => one !== undefined);
  const below = (parent: number): Process[] => all.filter(({ parentPid }) => parentPid === parent);
  const lastOf = (one: Process): number[] => {
    const children = below(one.pid);
    return children.length > 0 ? children.flatMap(lastOf) : [one.pid];
  };
  return below(workerPid)
    .filter(({ command }) => command.includes('--jitless'))
    .flatMap(lastOf);
}

async function look(pid: string): Promise<Process> {
  const [stat, command] = await Promise.all([readFile(`/proc/${pid}/stat`, 'latin1'), readFile(`/proc/${pid}/cmdline`, 'latin1')]);
  // The process name, in parentheses, can contain any character.
  const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { pid: Number(pid), parentPid: Number(parent), command };
}
