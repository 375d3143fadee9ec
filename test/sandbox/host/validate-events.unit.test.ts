import { CODE_RUN } from '../../../domain/limits.ts';
import { EventValidator } from '../../../sandbox/host/validate-events.ts';

const SURFACE = { mail: ['send'] };
const aCall = (number: number, fields: object = {}) => ({
  kind: 'call' as const,
  number,
  alias: 'mail',
  action: 'send',
  input: '{}',
  ...fields,
});
const aTimer = (number: number) => ({ kind: 'timer' as const, number, delayMs: 0 });

test('calls and timers are numbered together, and each is answered once', () => {
  const validator = new EventValidator(SURFACE);
  expect([validator.accept(aCall(0)), validator.accept(aTimer(1))]).toEqual([undefined, undefined]);
  expect([validator.hasWaitingCalls(), validator.settle(0), validator.settle(0)]).toEqual([true, true, false]);
  expect([validator.hasWaitingCalls(), validator.hasWaiting()]).toEqual([false, true]);
});

test.each([
  ['a number out of order', aCall(1)],
  ['an action that is not offered', aCall(0, { action: 'delete' })],
  ['an alias that is not offered', aCall(0, { alias: '__proto__' })],
  ['an input that is not JSON', aCall(0, { input: '{' })],
  ['half a surrogate pair', aCall(0, { input: '{"a":"\\ud800"}' })],
  ['a number that overflows', aCall(0, { input: '{"a":1e999}' })],
])('%s marks the runner as compromised', (_, event) => {
  expect(new EventValidator(SURFACE).accept(event)).toMatchObject({ code: 'CODE_CRASHED' });
});

test.each([
  ['CODE_CALL_LIMIT', CODE_RUN.maxCalls, aCall],
  ['CODE_TIMER_LIMIT', CODE_RUN.maxTimers, aTimer],
] as const)('one event above the limit ends the pass: %s', (code, most, make) => {
  const validator = new EventValidator(SURFACE);
  for (let number = 0; number < most; number += 1) expect(validator.accept(make(number))).toBeUndefined();
  expect(validator.accept(make(most))).toMatchObject({ code });
});

test('inputs and outputs that are too large or nested too deeply are refused', () => {
  const nested = `${'['.repeat(257)}${']'.repeat(257)}`;
  expect(new EventValidator(SURFACE).accept(aCall(0, { input: nested }))).toMatchObject({ code: 'CODE_INPUT_TOO_LARGE' });
  expect(new EventValidator(SURFACE).checkOutput(nested)).toMatchObject({ code: 'CODE_OUTPUT_TOO_LARGE' });
  expect(new EventValidator(SURFACE).checkOutput('1')).toBeUndefined();
});
