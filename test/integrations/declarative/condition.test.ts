import { holds } from '../../../integrations/declarative/condition.ts';

test.each([
  [{ a: 'Ada', b: 'ada' }, true],
  [{ a: 7, b: '7' }, true],
  [{ a: 'ada', b: 'bob' }, false],
  [{ a: 'undefined' }, false],
  [{ a: null, b: null }, false],
  [{}, false],
])('sameAs compares two values of %j: %j', (of, expected) => {
  expect(holds({ path: 'a', sameAs: 'b' }, of)).toBe(expected);
});
