import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';

interface Range {
  first: number;
  count: number;
}

/**
 * No account and no container has these user ids, and neither directories (FreeIPA, SSSD: below
 * 2,000,200,000) nor systemd (https://systemd.io/UIDS-GIDS: 2,147,352,576 and up) assign them.
 */
const UNUSED: Range = { first: 2_000_300_000, count: 147_000_000 };
/** Where a container does not map `UNUSED`, runs get the mapped ids from here on. */
const ABOVE_ACCOUNTS = 400_000;
const LEAST_COUNT = 100_000;

let range: Range | undefined;
let next = 0;

/**
 * Returns a user id for one run. Needs root. Skips the ids in the kernel's list of users with keys,
 * because each living run that the launcher started has a keyring.
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

/**
 * Returns the user ids for runs. `map`: the ids that this process may use, as in
 * `/proc/self/uid_map`.
 */
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

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
