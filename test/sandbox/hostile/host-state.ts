import { readdirSync, readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { memoryOfTree } from '../../../sandbox/watch-memory.ts';

const MEGABYTE = 1024 * 1024;

/** What this process holds. */
export interface HostState {
  descendants: number;
  openFiles: number;
  /** Of this process: what it needs, after a collection, in its heap and in buffers outside of it. */
  neededMb: number;
  /** Real memory of this process and all below it. */
  treeMb: number;
}

/** Collects what nobody needs any more, and looks. On Linux. */
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

/** All processes below one, those that have ended and are only still listed left out. */
export function descendantsOf(pid: number): number[] {
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
