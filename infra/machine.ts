import { availableParallelism, totalmem } from 'node:os';
import type { Machine } from '../domain/pass-turns.ts';

const MB = 1024 * 1024;

/** The cores and the memory that this process may use: a container's limits where it has some. */
export function thisMachine(): Machine {
  const bytes = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  return { cores: availableParallelism(), memoryMb: Math.floor(bytes / MB) };
}
