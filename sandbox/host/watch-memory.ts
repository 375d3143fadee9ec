import { readdir, readFile } from 'node:fs/promises';

const INTERVAL_MS = 500;
const PAGE_BYTES = 4096;

/**
 * Calls `onOver` once the resident memory of a process and its descendants exceeds `maxBytes`. Does
 * nothing without /proc.
 */
export function watchMemory(rootPid: number, maxBytes: number, onOver: () => void): { stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const look = async () => {
    const bytes = await memoryOfTree(rootPid).catch(() => undefined);
    if (isStopped || bytes === undefined) return;
    if (bytes > maxBytes) onOver();
    else timer = setTimeout(look, INTERVAL_MS);
  };
  timer = setTimeout(look, INTERVAL_MS);
  return {
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

/** Resident bytes of a process and its descendants. Rejects without /proc. */
export async function memoryOfTree(rootPid: number): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const all = (await Promise.all(pids.map(readStat))).filter((stat) => stat !== undefined);
  const childrenOf = Map.groupBy(all, ({ parentPid }) => parentPid);
  const tree = all.filter(({ pid }) => pid === rootPid);
  for (const { pid } of tree) tree.push(...(childrenOf.get(pid) ?? []));
  return tree.reduce((sum, { pages }) => sum + pages * PAGE_BYTES, 0);
}

interface Stat {
  pid: number;
  parentPid: number;
  pages: number;
}

async function readStat(pid: string): Promise<Stat | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => undefined);
  // The process name, in parentheses, may contain anything.
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ');
  return fields && { pid: Number(pid), parentPid: Number(fields[1]), pages: Number(fields[21]) };
}
