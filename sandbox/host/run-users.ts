import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';

interface Range {
  first: number;
  count: number;
}

/**
 * User ids of runs: above the ids that directories assign (FreeIPA, SSSD: below 2,000,200,000) and
 * below the ids that systemd reserves (https://systemd.io/UIDS-GIDS: 2,147,352,576 and up), so no
 * account and no container has one.
 */
const UNUSED: Range = { first: 2_000_300_000, count: 147_000_000 };
/** If a container maps fewer ids: the mapped ids above this one, if there are enough. */
const ABOVE_ACCOUNTS = 400_000;
const LEAST_COUNT = 100_000;

let range: Range | undefined;
let next = 0;

/**
 * A user id for one run, if the service is root. This process reuses an id only after all others,
 * and each process starts at a random one. The kernel lists the users for whom it holds keys, and
 * every living run has a keyring: an id in that list is skipped.
 */
export function takeRunUser(): number {
  if (!range) {
    range = runUserRange(read('/proc/self/uid_map'));
    next = randomInt(range.count);
  }
  const taken = new Set([...read('/proc/key-users').matchAll(/^ *(\d+):/gm)].map(([, id]) => Number(id)));
  for (;;) {
    const user = range.first + next;
    next = (next + 1) % range.count;
    if (!taken.has(user)) return user;
  }
}

/** The ids that runs may have, given the ids that this process may use (`/proc/self/uid_map`). */
export function runUserRange(map: string): Range {
  const mapped = [...map.matchAll(/^ *(\d+) +\d+ +(\d+)$/gm)].map(([, first, count]) => ({
    first: Number(first),
    end: Number(first) + Number(count),
  }));
  const isMapped = mapped.some(({ first, end }) => first <= UNUSED.first && end >= UNUSED.first + UNUSED.count);
  const spare = mapped
    .map(({ first, end }) => ({ first: Math.max(first, ABOVE_ACCOUNTS), end }))
    .find(({ first, end }) => end - first >= LEAST_COUNT);
  return isMapped || !spare ? UNUSED : { first: spare.first, count: Math.min(spare.end - spare.first, UNUSED.count) };
}

/**
 * Empty if there is no such file, as on a kernel without keyrings or on another system than Linux.
 */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
