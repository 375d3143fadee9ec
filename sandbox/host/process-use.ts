import { readFileSync } from 'node:fs';

/** The memory that a process uses now, and the processor time since its start. */
export interface ProcessUse {
  residentMb: number;
  /** Its data segment, as RLIMIT_DATA counts it. */
  dataMb: number;
  /** Processor time of all its threads, in steps of 10 ms. */
  cpuMs: number;
}

/** The kernel reports times in hundredths of a second (USER_HZ). */
const TICK_MS = 10;

/** Undefined for a process that is gone, and where there is no /proc. */
export function readProcessUse(pid: number): ProcessUse | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The process name, in parentheses, may contain anything. The third field follows it.
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

/** Throws if the status of the process has no such line: a zombie holds no memory. */
function megabytes(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)![1]) / 1024;
}
