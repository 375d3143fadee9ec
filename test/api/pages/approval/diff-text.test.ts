import { diffText } from '../../../../api/pages/approval/diff-text.ts';

test('a single line is compared word by word; a number is one word', () => {
  expect(diffText('Pay 1,200.50 EUR to Ada today, please.', 'Pay 1,300.50 EUR to Grace today, please.').parts).toEqual([
    { kind: 'same', text: 'Pay ' },
    { kind: 'removed', text: '1,200.50' },
    { kind: 'added', text: '1,300.50' },
    { kind: 'same', text: ' EUR to ' },
    { kind: 'removed', text: 'Ada' },
    { kind: 'added', text: 'Grace' },
    { kind: 'same', text: ' today, please.' },
  ]);
});

test('several lines are compared line by line; unchanged lines far from a change are omitted', () => {
  const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`);
  const { unit, parts } = diffText(lines.join('\n'), [...lines.slice(0, 10), 'new', ...lines.slice(11)].join('\n'));
  expect(unit).toBe('lines');
  expect(parts).toEqual([
    { kind: 'skipped', text: '7 unchanged lines' },
    { kind: 'same', text: 'line 7\nline 8\nline 9' },
    { kind: 'removed', text: 'line 10' },
    { kind: 'added', text: 'new' },
    { kind: 'same', text: 'line 11\nline 12\nline 13' },
    { kind: 'skipped', text: '6 unchanged lines' },
  ]);
});

test('long unchanged parts of a line are shortened', () => {
  const middle = 'and so on '.repeat(40);
  const { parts } = diffText(`first ${middle}last`, `one ${middle}end`);
  expect(parts.map(({ kind }) => kind)).toEqual(['removed', 'added', 'same', 'skipped', 'same', 'removed', 'added']);
  expect(parts[3]!.text).toMatch(/^\d+ unchanged characters$/);
});
