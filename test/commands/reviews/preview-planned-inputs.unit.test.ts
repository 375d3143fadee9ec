import { previewPlannedInputs } from '../../../commands/reviews/preview-planned-inputs.ts';
import type { PredictedCall } from '../../../sandbox/plan/plan.ts';

test('fields named like built-in object properties are shown unchanged, and change nothing in the process', () => {
  const known = [
    { path: ['constructor', 'found'], value: 1 },
    { path: ['toString', 'found'], value: 2 },
    { path: ['valueOf'], value: 3 },
  ];
  const call: PredictedCall = {
    ...{ alias: 'constructor', action: 'get', inputKnown: false, repeats: false, line: 1, column: 0 },
    parts: { known, open: [] },
  };
  const shown = previewPlannedInputs([call], new Map(), []).get(call)!.shown;
  expect(JSON.stringify(shown)).toBe('{"knownInput":{"constructor":{"found":1},"toString":{"found":2},"valueOf":3}}');
  expect([Object, Object.prototype.toString].map((inherited) => 'found' in inherited)).toEqual([false, false]);
});
