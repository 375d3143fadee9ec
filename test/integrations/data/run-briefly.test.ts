import { runBriefly, StoppedError } from '../../../integrations/builtin/run-briefly.ts';

const word = new Int32Array(new SharedArrayBuffer(4));

test('a computation that got little processor time within its limit is tried again', () => {
  let attempts = 0;
  const result = runBriefly(50, () => {
    attempts += 1;
    if (attempts < 3) Atomics.wait(word, 0, 0);
    return 'done';
  });
  expect({ result, attempts }).toEqual({ result: 'done', attempts: 3 });
});

test('a computation that never gets enough processor time is stopped after five attempts', () => {
  let attempts = 0;
  const wait = () => {
    attempts += 1;
    Atomics.wait(word, 0, 0);
  };
  expect(() => runBriefly(20, wait)).toThrow(StoppedError);
  expect(attempts).toBe(5);
});

test('a computation that uses its full time is stopped', () => {
  const spin = () => {
    while (true);
  };
  expect(() => runBriefly(100, spin)).toThrow(StoppedError);
});
