import { expect, test } from '@jest/globals';
import { memoryOfRunner, passLimits } from '../../domain/pass-limits.ts';

const GB = 1024;
const settings = { runMemoryMb: 128, maxPasses: undefined, quota: undefined };

test.each([
  ['a small machine', { cores: 1, memoryMb: 1 * GB }, { maxConcurrent: 2, reserved: 1, maxPerTenant: 1 }],
  ['a machine with little memory', { cores: 8, memoryMb: 4 * GB }, { maxConcurrent: 4, reserved: 1, maxPerTenant: 3 }],
  ['a machine with few cores', { cores: 2, memoryMb: 64 * GB }, { maxConcurrent: 16, reserved: 4, maxPerTenant: 12 }],
  ['a large machine', { cores: 64, memoryMb: 512 * GB }, { maxConcurrent: 64, reserved: 16, maxPerTenant: 48 }],
])('%s has slots for its capacity, and reserves some that one organization cannot fill', (_, machine, expected) => {
  expect(passLimits(machine, settings)).toEqual(expected);
});

test('runners that all reach their memory limit fit in half of the memory', () => {
  for (const runMemoryMb of [16, 128, 512, 2048]) {
    const { maxConcurrent } = passLimits({ cores: 64, memoryMb: 32 * GB }, { ...settings, runMemoryMb });
    expect(maxConcurrent * memoryOfRunner(runMemoryMb)).toBeLessThanOrEqual(16 * GB);
  }
});

test('the setting of the operator takes precedence, and a quota limits the runs of one organization', () => {
  const machine = { cores: 2, memoryMb: 8 * GB };
  expect(passLimits(machine, { ...settings, maxPasses: 1 })).toEqual({ maxConcurrent: 1, reserved: 0, maxPerTenant: 1 });
  expect(passLimits(machine, { ...settings, maxPasses: 100, quota: 5 })).toEqual({ maxConcurrent: 100, reserved: 25, maxPerTenant: 5 });
});
