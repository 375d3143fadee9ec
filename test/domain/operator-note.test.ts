import fc from 'fast-check';
import { readOperatorNote } from '../../domain/operator-note.ts';

test.each([
  ['nothing', undefined, {}],
  ['null', null, {}],
  ['a sentence', ' not now ', { reason: 'not now' }],
  ['an empty one', '  ', {}],
  ['a reason', { reason: 'a mistake' }, { reason: 'a mistake' }],
  ['a name', { by: 'ada@example.com' }, { by: 'ada@example.com' }],
  ['both', { reason: 'x', by: 'y' }, { reason: 'x', by: 'y' }],
  ['both, and more', { reason: 'x', by: 'y', force: true }, { isUnclear: true }],
  ['a mistyped name', { By: 'ada@example.com' }, { isUnclear: true }],
  ['a number', 42, { isUnclear: true }],
  ['a list', ['approve', 'by', 'me'], { isUnclear: true }],
  ['wrong kinds inside', { reason: 5, by: ['ada@example.com'] }, { isUnclear: true }],
  [
    'hidden characters',
    { reason: 'a\u202eb\u0000c', by: 'ada\u200b@example.com' },
    { reason: 'a\\u{202e}b\\u{0}c', by: 'ada\\u{200b}@example.com' },
  ],
])('a note that is %s', (_, note, read) => {
  expect(readOperatorNote(note)).toEqual(read);
});

test('huge texts are cut', () => {
  const { reason, by } = readOperatorNote({ reason: 'r'.repeat(1_000_000), by: '\u202e'.repeat(1_000_000) });
  expect([reason!.length, by!.length]).toEqual([2000, 254]);
});

test('whatever is sent is read as at most two visible texts', () => {
  fc.assert(
    fc.property(fc.anything({ withNullPrototype: true }), (note) => {
      const { reason = '', by = '', isUnclear = false, ...more } = readOperatorNote(note);
      expect(more).toEqual({});
      if (isUnclear) expect([reason, by]).toEqual(['', '']);
      for (const text of [reason, by]) expect(text).not.toMatch(/[\u0000-\u0008\u200b\u202a-\u202e]/);
    }),
  );
});
