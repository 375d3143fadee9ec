import { readdirSync, readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { memoryOfTree } from '../../../sandbox/host/watch-memory.ts';

const MEGABYTE = 1024 * 1024;

/** The resources of this process and its descendants. */
export interface HostState {
  descendants: number;
  openFiles: number;
  /** Heap and external buffers after a garbage collection, in MB. */
  neededMb: number;
  /** Resident memory of this process and its descendants, in MB. */
  treeMb: number;
}

/** Forces a garbage collection, then reads the state. Works only on Linux. */
export async function readHostState(): Promise<HostState> {
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return {
    descendants: descendantsOf(process.pid).length,
    openFiles: readdirSync('/proc/self/fd').length,
    neededMb: Math.round((heapUsed + arrayBuffers) / MEGABYTE),
    treeMb: Math.round((await memoryOfTree(process.pid)) / MEGABYTE),
  };
}

function descendantsOf(pid: number): number[] {
  const parents = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const [state, parent] = statOf(name);
    if (state !== 'Z' && parent) parents.set(parent, [...(parents.get(parent) ?? []), Number(name)]);
  }
  const below = (of: number): number[] => (parents.get(of) ?? []).flatMap((child) => [child, ...below(child)]);
  return below(pid);
}

function statOf(pid: string): [state?: string, parent?: number] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [state, parent] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return [state!, Number(parent)];
  } catch {
    return [];
  }
}

function collect(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
