/** Waits for a place, does the work and gives the place back. Whoever stops waiting (`signal`) never begins. */
export type InTurn = <Result>(party: string, signal: AbortSignal, work: () => Promise<Result>) => Promise<Result>;

export interface TurnLimits {
  /** At work at the same time, all together. */
  places: number;
  placesOfOne: number;
  /** Places that only a party without any may take, so that long work of a few does not keep others waiting. */
  keptFree: number;
}

interface Party {
  atWork: number;
  /** What begins each piece of its work, in the order in which it came. */
  waiting: Set<() => void>;
}

/**
 * Shares places out among parties, whose pieces of work may be long and many. Parties without a place come first, and of these the one
 * whose last turn is longest ago: nobody without a place waits for more than one turn of each other party, those that run counted.
 */
export function openFairTurns({ places, placesOfOne, keptFree }: TurnLimits): InTurn {
  /** In the order of their turns. */
  const parties = new Map<string, Party>();
  let free = places;

  const handOut = () => {
    for (let next = findNext(); next; next = findNext()) {
      const [name, party] = next;
      moveBack(name, party);
      free -= 1;
      party.atWork += 1;
      const [begin] = party.waiting;
      party.waiting.delete(begin!);
      begin!();
    }
  };
  const findNext = () => {
    const waiting = [...parties].filter(([, party]) => party.waiting.size > 0);
    const first = free > 0 ? waiting.find(([, { atWork }]) => atWork === 0) : undefined;
    return first ?? (free > keptFree ? waiting.find(([, { atWork }]) => atWork < placesOfOne) : undefined);
  };

  /** Behind all others; a party that does and wants nothing is forgotten. */
  const moveBack = (name: string, party: Party) => {
    parties.delete(name);
    if (party.atWork + party.waiting.size > 0) parties.set(name, party);
  };

  const takePlace = (name: string, signal: AbortSignal) =>
    new Promise<Party>((resolve, reject) => {
      signal.throwIfAborted();
      const party = parties.get(name) ?? { atWork: 0, waiting: new Set() };
      parties.set(name, party);
      const begin = () => {
        signal.removeEventListener('abort', leave);
        resolve(party);
      };
      const leave = () => {
        party.waiting.delete(begin);
        if (party.atWork + party.waiting.size === 0) parties.delete(name);
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      party.waiting.add(begin);
      handOut();
    });

  return async (name, signal, work) => {
    const party = await takePlace(name, signal);
    try {
      return await work();
    } finally {
      free += 1;
      party.atWork -= 1;
      moveBack(name, party);
      handOut();
    }
  };
}
