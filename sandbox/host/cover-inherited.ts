import { openSync, readdirSync, readFileSync } from 'node:fs';

const CLOSED_BY_EXEC = 0o2000000;

/**
 * Returns `stdio` entries for a child. They replace the inherited descriptors that Node would pass
 * on. With an open descriptor of an outer folder, a child could leave its root folder.
 */
export function coverInherited(first: number): (number | 'ignore')[] {
  inherited ??= findInherited();
  const covered = inherited.filter((fd) => fd >= first);
  if (covered.length > 0) nothing ??= openSync('/dev/null', 'r');
  const count = Math.max(first, ...covered.map((fd) => fd + 1)) - first;
  return Array.from({ length: count }, (_, index) => (covered.includes(first + index) ? nothing! : 'ignore'));
}

let inherited: number[] | undefined;
let nothing: number | undefined;

/**
 * The inherited descriptors that Node would pass on. Node opens its own with close-on-exec, so
 * reading once is enough.
 */
function findInherited(): number[] {
  const open = existing(() => readdirSync('/proc/self/fd')) ?? [];
  return open.map(Number).filter((fd) => {
    const info = existing(() => readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'));
    const flags = /^flags:\s+([0-7]+)/m.exec(info ?? '')?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSED_BY_EXEC) === 0;
  });
}

function existing<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
