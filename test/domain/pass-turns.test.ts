import { expect, test } from '@jest/globals';
import { memoryOfRunner, passTurns } from '../../domain/pass-turns.ts';

const GB = 1024;
const settings = { runMemoryMb: 128, atOnce: undefined, quota: undefined };

test.each([
  ['a small machine', { cores: 1, memoryMb: 1 * GB }, { places: 2, keptFree: 1, placesOfOne: 1 }],
  ['memory is short', { cores: 8, memoryMb: 4 * GB }, { places: 4, keptFree: 1, placesOfOne: 3 }],
  ['cores are few', { cores: 2, memoryMb: 64 * GB }, { places: 16, keptFree: 4, placesOfOne: 12 }],
  ['a large machine', { cores: 64, memoryMb: 512 * GB }, { places: 64, keptFree: 16, placesOfOne: 48 }],
])('%s has places for what it bears, and some that one organization cannot take', (_, machine, expected) => {
  expect(passTurns(machine, settings)).toEqual(expected);
});

test('runners that all take what they may fit in half of the memory, however large a run may be', () => {
  for (const runMemoryMb of [16, 128, 512, 2048]) {
    const { places } = passTurns({ cores: 64, memoryMb: 32 * GB }, { ...settings, runMemoryMb });
    expect(places * memoryOfRunner(runMemoryMb)).toBeLessThanOrEqual(16 * GB);
  }
});

test('what the operator says counts, and a quota bounds what one organization has at a time', () => {
  const machine = { cores: 2, memoryMb: 8 * GB };
  expect(passTurns(machine, { ...settings, atOnce: 1 })).toEqual({ places: 1, keptFree: 0, placesOfOne: 1 });
  expect(passTurns(machine, { ...settings, atOnce: 100, quota: 5 })).toEqual({ places: 100, keptFree: 25, placesOfOne: 5 });
});
