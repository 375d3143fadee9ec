/**
 * Waits for a place, does the work and gives the place back. Whoever stops waiting (`signal`) never begins. Of one party's work the one that was
 * asked for first comes first: by `askedAt` (epoch milliseconds; without: now).
 */
export type InTurn = <Result>(party: string, signal: AbortSignal, work: () => Promise<Result>, askedAt?: number) => Promise<Result>;

export interface TurnLimits {
  /** At work at the same time, all together. */
  places: number;
  placesOfOne: number;
  /** Places that only a party without any may take, so that long work of a few does not keep others waiting. */
  keptFree: number;
}

/** Thrown where no place is free. */
export class NoPlaceError extends Error {
  override name = 'NoPlaceError';
}

/** Does the work where a place is free now. Throws NoPlaceError. */
export function atOnce<Result>(inTurn: InTurn, party: string, work: () => Promise<Result>, askedAt?: number): Promise<Result> {
  const now = new AbortController();
  const done = inTurn(party, now.signal, work, askedAt);
  // Has no effect on one that has got its place.
  now.abort(new NoPlaceError('no place is free'));
  return done;
}

interface Waiting {
  askedAt: number;
  begin(): void;
}

interface Party {
  atWork: number;
  /** What was asked for first comes first. */
  waiting: Waiting[];
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
      party.waiting.shift()!.begin();
    }
  };
  const findNext = () => {
    const waiting = [...parties].filter(([, party]) => party.waiting.length > 0);
    const first = free > 0 ? waiting.find(([, { atWork }]) => atWork === 0) : undefined;
    return first ?? (free > keptFree ? waiting.find(([, { atWork }]) => atWork < placesOfOne) : undefined);
  };

  /** Behind all others; a party that does and wants nothing is forgotten. */
  const moveBack = (name: string, party: Party) => {
    parties.delete(name);
    if (party.atWork + party.waiting.length > 0) parties.set(name, party);
  };

  /** While others wait, a party that left without a turn keeps its place among them: it may come back. */
  const forgetIdle = () => {
    const all = [...parties];
    if (all.some(([, { waiting }]) => waiting.length > 0)) return;
    for (const [name, { atWork }] of all) if (atWork === 0) parties.delete(name);
  };

  const takePlace = (name: string, signal: AbortSignal, askedAt: number) =>
    new Promise<Party>((resolve, reject) => {
      signal.throwIfAborted();
      const party = parties.get(name) ?? { atWork: 0, waiting: [] };
      parties.set(name, party);
      const one: Waiting = {
        askedAt,
        begin() {
          signal.removeEventListener('abort', leave);
          resolve(party);
        },
      };
      const leave = () => {
        party.waiting.splice(party.waiting.indexOf(one), 1);
        forgetIdle();
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      party.waiting.splice(party.waiting.findLastIndex((other) => other.askedAt <= askedAt) + 1, 0, one);
      handOut();
    });

  return async (name, signal, work, askedAt = Date.now()) => {
    const party = await takePlace(name, signal, askedAt);
    try {
      return await work();
    } finally {
      free += 1;
      party.atWork -= 1;
      moveBack(name, party);
      handOut();
      forgetIdle();
    }
  };
}
