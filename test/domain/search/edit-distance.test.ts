import fc from 'fast-check';
import { editDistance } from '../../../domain/search/edit-distance.ts';

test.each([
  ['channel', 'channel', 0],
  ['chanel', 'channel', 1],
  ['chnanel', 'channel', 1],
  ['lsit', 'list', 1],
  ['serach', 'search', 1],
  ['kitten', 'sitting', 3],
  ['', 'abc', 3],
])('the edit distance of %s and %s is %i', (left, right, distance) => {
  expect(editDistance(left, right)).toBe(distance);
  expect(editDistance(right, left)).toBe(distance);
});

test('with a limit, distances up to it are exact, and larger distances become limit + 1', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 });
  fc.assert(
    fc.property(word, word, fc.nat(4), (left, right, limit) => {
      expect(editDistance(left, right, limit)).toBe(Math.min(editDistance(left, right), limit + 1));
    }),
  );
});
