import { availableParallelism, totalmem } from 'node:os';
import type { Machine } from '../domain/pass-limits.ts';

const MB = 1024 * 1024;

/** Returns the cores and the memory of this machine, within the limits of its container. */
export function thisMachine(): Machine {
  const bytes = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  return { cores: availableParallelism(), memoryMb: Math.floor(bytes / MB) };
}
