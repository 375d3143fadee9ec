import { readFileSync } from 'node:fs';

/** The current memory of a process, and its processor time so far. */
export interface ProcessUse {
  residentMb: number;
  /** The data segment, as RLIMIT_DATA counts it. */
  dataMb: number;
  /** Processor time of all threads, in steps of 10 ms. */
  cpuMs: number;
}

/** The kernel's USER_HZ. */
const TICK_MS = 10;

/** Memory and processor time of a process. Undefined if it has ended, or without /proc. */
export function readProcessUse(pid: number): ProcessUse | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The process name, in parentheses, may contain anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return {
      residentMb: megabytes(status, 'VmRSS'),
      dataMb: megabytes(status, 'VmData'),
      cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS,
    };
  } catch {
    return undefined;
  }
}

/** Throws for a zombie, whose status has no such line. */
function megabytes(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)![1]) / 1024;
}
