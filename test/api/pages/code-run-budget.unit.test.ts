import { openBudget } from '../../../api/pages/code-run/present-calls.ts';

test('a value that is too long leaves room for shorter values', () => {
  const budget = openBudget();
  const isShown = (length: number) => budget.show('x'.repeat(length), 'value') !== null;
  expect([250_000, 150_000, 60_000, 40_000].map(isShown)).toEqual([false, true, false, true]);
});
