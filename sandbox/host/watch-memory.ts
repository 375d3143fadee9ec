import { readdir, readFile } from 'node:fs/promises';

const INTERVAL_MS = 500;

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
  const all = (await Promise.all(pids.map(readStatus))).filter((status) => status !== undefined);
  const childrenOf = Map.groupBy(all, ({ parentPid }) => parentPid);
  const tree = all.filter(({ pid }) => pid === rootPid);
  for (const { pid } of tree) tree.push(...(childrenOf.get(pid) ?? []));
  return tree.reduce((sum, { bytes }) => sum + bytes, 0);
}

interface Status {
  pid: number;
  parentPid: number;
  bytes: number;
}

/** Undefined if the process has ended in the meantime. A zombie has no memory. */
async function readStatus(pid: string): Promise<Status | undefined> {
  const text = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => undefined);
  if (text === undefined) return undefined;
  const numberAt = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0);
  return { pid: Number(pid), parentPid: numberAt('PPid'), bytes: numberAt('VmRSS') * 1024 };
}
