import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { memoryOfTree } from '../sandbox/host/watch-memory.ts';

/** Time for garbage collectors and idle connections to settle. */
const REST_MS = 8000;
const MB = 1024 * 1024;

/** The ids of the API and the worker that this process started in a test bed. */
export function servicePids(): { api: number; worker: number } {
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === process.pid);
  const find = (part: string) => Number(children.find((pid) => read(`/proc/${pid}/cmdline`).includes(`/${part}/main.ts`)));
  return { api: find('api'), worker: find('worker') };
}

/** Resident memory in MB of the API, the worker and its runners, once they are idle. */
export async function serviceMemoryMb(): Promise<number> {
  const { api, worker } = servicePids();
  await delay(REST_MS);
  return ((await memoryOfTree(api)) + (await memoryOfTree(worker))) / MB;
}

/** Number of child processes of the worker: its runners with their wrappers. */
export function runnersOf(worker: number): number {
  return read(`/proc/${worker}/task/${worker}/children`).split(' ').filter(Boolean).length;
}

function parentOf(pid: string): number {
  const stat = read(`/proc/${pid}/stat`);
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

/** Empty for a process that has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
