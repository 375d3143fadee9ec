import fc from 'fast-check';
import { diffSequences } from '../../../../api/pages/approval/diff-sequences.ts';

const SEQUENCE = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 });

test('kept and removed parts form the first sequence; kept and added parts form the second', () => {
  fc.assert(
    fc.property(SEQUENCE, SEQUENCE, (before, after) => {
      const stretches = diffSequences(before, after);
      const without = (kind: string) => stretches.filter((stretch) => stretch.kind !== kind).flatMap(({ items }) => items);
      expect(without('added')).toEqual(before);
      expect(without('removed')).toEqual(after);
      expect(stretches.every(({ items }) => items.length > 0)).toBe(true);
    }),
  );
});

test('the longest common subsequence is kept', () => {
  expect(diffSequences(['a', 'b', 'c', 'd'], ['b', 'x', 'c', 'd', 'e'])).toEqual([
    { kind: 'removed', items: ['a'] },
    { kind: 'same', items: ['b'] },
    { kind: 'added', items: ['x'] },
    { kind: 'same', items: ['c', 'd'] },
    { kind: 'added', items: ['e'] },
  ]);
});

test('sequences too long to compare are reported as replaced', () => {
  const [before, after] = ['a', 'b'].map((name) => Array.from({ length: 2000 }, (_, index) => `${name}${index}`)) as [string[], string[]];
  expect(diffSequences(['x', ...before], ['x', ...after])).toEqual([
    { kind: 'same', items: ['x'] },
    { kind: 'removed', items: before },
    { kind: 'added', items: after },
  ]);
});
