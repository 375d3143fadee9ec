import fc from 'fast-check';
import { findAmbiguity } from '../../domain/strict-json.ts';

test.each([
  ['{"a":1,"b":2,"a":1}', '"a" is repeated in one object'],
  ['[{"a":{"b":[{"c":1, "c" : 1}]}}]', '"c" is repeated in one object'],
  ['{"a":1,"\\u0061":2}', '"\\u0061" is repeated in one object'],
  ['{"__proto__":1,"__proto__":2}', '"__proto__" is repeated in one object'],
  ['{"a":1e400}', 'the number 1e400 would be read as Infinity'],
  ['[-1e400]', 'the number -1e400 would be read as -Infinity'],
  ['1e-400', 'the number 1e-400 would be read as 0'],
  ['[9007199254740993]', 'the number 9007199254740993 would be read as 9007199254740992'],
  ['[0.10000000000000000001]', 'the number 0.10000000000000000001 would be read as 0.1'],
  ['{"a":"\\ud800"}', '"\\ud800" holds half of a character (a lone surrogate)'],
  ['{"\\udc00\\ud800":1}', '"\\udc00\\ud800" holds half of a character (a lone surrogate)'],
])('%s is ambiguous: %s', (json, problem) => {
  expect(findAmbiguity(json)).toBe(problem);
});

test.each([
  '{"a":{"a":[{"a":1},{"a":1}]},"b":"a"}',
  '["a","a",{"k":"a","l":"a"}]',
  '{"a":"{\\"b\\":1,\\"b\\":1e400}","b":"\\\\"}',
  '[0, -0, 0.0, 0e5, 12.50, 1.25e1, 1E+2, 100, 1e21, 1e23, 5e-324, 1.7976931348623157e308]',
  '"\\ud83d\\ude00"',
  'true',
])('%s is unambiguous', (json) => {
  expect(findAmbiguity(json)).toBeUndefined();
});

test('the output of JSON.stringify is unambiguous', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
      expect(findAmbiguity(JSON.stringify(value, null, indent))).toBeUndefined();
    }),
  );
});

test('texts of many megabytes and deeply nested texts are checked too', () => {
  expect(findAmbiguity(`{"a":"${'x\\n'.repeat(5_000_000)}","a":1}`)).toBe('"a" is repeated in one object');
  expect(findAmbiguity(`${'['.repeat(300_000)}1e400${']'.repeat(300_000)}`)).toContain('1e400');
});
