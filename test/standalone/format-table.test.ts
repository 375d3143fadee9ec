import { formatTable } from '../../standalone/admin/format-table.ts';

test('columns are aligned, even with double-width and combining characters', () => {
  const table = formatTable(
    ['NAME', 'ROLE'],
    [
      ['日本', 'owner'],
      ['e\u0301e', 'admin'],
      ['🚀', 'x'],
      ['long name', ''],
    ],
  );
  expect(table.split('\n')).toEqual(['NAME       ROLE', '日本       owner', 'e\u0301e         admin', '🚀         x', 'long name']);
});

test('lines are cut to the width of a terminal, and marked as cut', () => {
  const lines = formatTable(['A', 'B'], [['aaaa', '日本語日本語']], 10).split('\n');
  expect(lines).toEqual(['A     B', 'aaaa  日…']);
});

test('terminal control characters are escaped, and line breaks become spaces', () => {
  expect(formatTable(['A'], [['\u001b[2Jgone\nnext\u202e']])).toBe('A\n\\u{1b}[2Jgone next\\u{202e}');
});
