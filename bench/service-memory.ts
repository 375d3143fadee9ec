import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { memoryOfTree } from '../sandbox/host/watch-memory.ts';
import { processes } from './processes.ts';

/** Garbage collection and idle connections end in this time. */
const REST_MS = 8000;
const MB = 1024 * 1024;

/** The process ids of the API and the worker that this process started in a test bed. */
export function servicePids(): { api: number; worker: number } {
  const children = processes().filter(({ parent }) => parent === process.pid);
  const find = (part: string) => children.find(({ command }) => command.includes(`/${part}/main.ts`))!.pid;
  return { api: find('api'), worker: find('worker') };
}

/** Resident memory in MB of the API, the worker and its runners, when idle. */
export async function serviceMemoryMb(): Promise<number> {
  const { api, worker } = servicePids();
  await delay(REST_MS);
  return ((await memoryOfTree(api)) + (await memoryOfTree(worker))) / MB;
}

/**
 * Memory in MB that the API and the worker allocated, when idle. Leaves out runners and pages of
 * files, which come and go.
 */
export async function ownMemoryMb(): Promise<number> {
  const { api, worker } = servicePids();
  await delay(REST_MS);
  return [api, worker].reduce((sum, pid) => sum + allocatedMb(pid), 0);
}

function allocatedMb(pid: number): number {
  return Number(/^RssAnon:\s*(\d+) kB/m.exec(read(`/proc/${pid}/status`))?.[1]) / 1024;
}

/** Number of direct child processes of the worker. */
export function runnersOf(worker: number): number {
  return read(`/proc/${worker}/task/${worker}/children`).split(' ').filter(Boolean).length;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
