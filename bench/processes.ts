import { readdirSync, readFileSync } from 'node:fs';

/** A process of this machine, as /proc shows it. */
export interface Process {
  pid: number;
  parent: number;
  /** Processor time used so far, in steps of 10 ms. */
  ms: number;
  /** Processor time that its ended children used. */
  endedMs: number;
  command: string;
}

/** All processes of this machine. */
export function processes(): Process[] {
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? readProcess(name) : []));
}

/** A process and all its descendants, parents first. */
export function treeOf(rootPid: number): Process[] {
  const all = processes();
  const tree = all.filter(({ pid }) => pid === rootPid);
  for (const { pid } of tree) tree.push(...all.filter(({ parent }) => parent === pid));
  return tree;
}

const TICK_MS = 10;

/** Empty if the process has ended in the meantime. */
function readProcess(pid: string): Process[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ');
    const ms = (first: number) => TICK_MS * (fields[first]! + fields[first + 1]!);
    return [{ pid: Number(pid), parent: fields[1]!, ms: ms(11), endedMs: ms(13), command }];
  } catch {
    return [];
  }
}
