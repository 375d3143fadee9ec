import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { openFairTurns, type TurnLimits } from '../../commands/fair-turns.ts';

/** Turns whose work ends when the test says so. */
function openBed(limits: TurnLimits) {
  const inTurn = openFairTurns(limits);
  const atWork: { party: string; end: () => void }[] = [];
  const begun: string[] = [];
  return {
    atWork,
    begun,
    ask(party: string, signal = new AbortController().signal, askedAt?: number) {
      return inTurn(
        party,
        signal,
        () => {
          begun.push(askedAt === undefined ? party : `${party}${askedAt}`);
          return new Promise<string>((resolve) => atWork.push({ party, end: () => resolve(party) }));
        },
        askedAt,
      );
    },
    async end(index = 0) {
      atWork.splice(index, 1)[0]!.end();
      await settled();
    },
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('places go round: whoever has many pieces of work waits between them for others', async () => {
  const bed = openBed({ places: 1, placesOfOne: 1, keptFree: 0 });
  for (const party of ['a', 'a', 'a', 'b', 'b', 'c']) void bed.ask(party);
  await settled();
  for (let turn = 0; turn < 6; turn += 1) await bed.end();
  expect(bed.begun).toEqual(['a', 'b', 'c', 'a', 'b', 'a']);
});

test('a party has no more places than one may, and the last ones are for those without any', async () => {
  const bed = openBed({ places: 6, placesOfOne: 3, keptFree: 2 });
  for (const party of 'aaaaabbbbbcd') void bed.ask(party);
  await settled();
  expect(bed.begun.join('')).toBe('aaabcd');
});

test('work that fails gives its place back, and fails as it did', async () => {
  const inTurn = openFairTurns({ places: 1, placesOfOne: 1, keptFree: 0 });
  const { signal } = new AbortController();
  const failing = inTurn('a', signal, () => Promise.reject(new Error('no luck')));
  const next = inTurn('a', signal, async () => 'done');
  await expect(failing).rejects.toThrow('no luck');
  expect(await next).toBe('done');
});

test('whoever stops waiting never begins, and keeps nobody waiting', async () => {
  const bed = openBed({ places: 1, placesOfOne: 1, keptFree: 0 });
  const first = bed.ask('a');
  const giveUp = new AbortController();
  const second = bed.ask('b', giveUp.signal);
  const third = bed.ask('c');
  giveUp.abort(new Error('too late'));
  await expect(second).rejects.toThrow('too late');
  await expect(bed.ask('d', giveUp.signal)).rejects.toThrow('too late');
  await bed.end();
  expect(await first).toBe('a');
  await bed.end();
  expect(await third).toBe('c');
  expect(bed.begun).toEqual(['a', 'c']);
});

test("of one party's work the one that was asked for first comes first, also when it comes back", async () => {
  const bed = openBed({ places: 1, placesOfOne: 1, keptFree: 0 });
  void bed.ask('a');
  const giveUp = new AbortController();
  const second = bed.ask('a', giveUp.signal, 2);
  for (const askedAt of [3, 1, 3]) void bed.ask('a', undefined, askedAt);
  giveUp.abort(new Error('offered elsewhere'));
  await expect(second).rejects.toThrow('offered elsewhere');
  void bed.ask('a', undefined, 2);
  for (let turn = 0; turn < 5; turn += 1) await bed.end();
  expect(bed.begun).toEqual(['a', 'a1', 'a2', 'a3', 'a3']);
});

test('a party that stops waiting for a moment keeps its place before those that came later', async () => {
  const bed = openBed({ places: 1, placesOfOne: 1, keptFree: 0 });
  void bed.ask('a');
  const giveUp = new AbortController();
  const b = bed.ask('b', giveUp.signal);
  void bed.ask('c');
  giveUp.abort(new Error('offered elsewhere'));
  await expect(b).rejects.toThrow('offered elsewhere');
  void bed.ask('b');
  for (let turn = 0; turn < 3; turn += 1) await bed.end();
  expect(bed.begun).toEqual(['a', 'b', 'c']);
});

test('whatever comes and ends: never too many at work, no place left free in vain, nobody without a place waits for two turns of another', async () => {
  const limits = { places: 4, placesOfOne: 2, keptFree: 1 };
  const event = fc.oneof(fc.constantFrom(...'abcdef'), fc.nat(3));
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 60 }), async (events) => {
      const bed = openBed(limits);
      const waiting: string[] = [];
      /** Of parties that wait without a place: who was at work then, and who began since. */
      const since = new Map<string, string[]>();
      for (const one of events) {
        const before = bed.begun.length;
        if (typeof one === 'string') {
          void bed.ask(one);
          waiting.push(one);
          await settled();
        } else if (bed.atWork.length > 0) await bed.end(one % bed.atWork.length);
        for (const party of bed.begun.slice(before)) {
          waiting.splice(waiting.indexOf(party), 1);
          since.delete(party);
          for (const others of since.values()) others.push(party);
        }
        const placesOf = (party: string) => bed.atWork.filter((work) => work.party === party).length;
        for (const party of new Set(waiting))
          if (placesOf(party) === 0 && !since.has(party)) since.set(party, [...new Set(bed.atWork.map((work) => work.party))]);
        for (const others of since.values()) expect(new Set(others).size).toBe(others.length);
        expect(bed.atWork.length).toBeLessThanOrEqual(limits.places);
        expect(Math.max(0, ...[...'abcdef'].map(placesOf))).toBeLessThanOrEqual(limits.placesOfOne);
        if (bed.atWork.length < limits.places) expect(waiting.filter((party) => placesOf(party) === 0)).toEqual([]);
        if (bed.atWork.length < limits.places - limits.keptFree) expect(waiting.filter((party) => placesOf(party) < 2)).toEqual([]);
      }
    }),
    { numRuns: 200 },
  );
});
