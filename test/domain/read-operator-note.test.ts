import fc from 'fast-check';
import { readOperatorNote } from '../../domain/read-operator-note.ts';

const CODE = `opc_${'abcdefgh'.repeat(4)}.${'a'.repeat(43)}`;
const OTHER = `opc_other.${'b'.repeat(43)}`;

test.each([
  ['absent', undefined, {}],
  ['null', null, {}],
  ['a sentence', ' not now ', { reason: 'not now' }],
  ['a blank text', '  ', {}],
  ['a reason', { reason: 'a mistake' }, { reason: 'a mistake' }],
  ['a name, which is ignored', { by: 'ada@example.com' }, {}],
  ['a name that is not a string', { by: ['boss'], reason: 'x' }, { reason: 'x' }],
  ['a reason and a name', { reason: 'x', by: 'y' }, { reason: 'x' }],
  ['a reason, a name and an unknown field', { reason: 'x', by: 'y', force: true }, { isUnclear: true }],
  ['a code', { code: CODE, reason: 'x' }, { code: CODE, reason: 'x' }],
  ['a code with white space around it', ` ${CODE}\n`, { code: CODE }],
  ['a code with an unknown field', { code: CODE, force: true }, { code: CODE, isUnclear: true }],
  ['an invalid code', { code: 'opc_x' }, { isUnclear: true }],
  ['a code that is too long', { code: `opc_${'x'.repeat(1_000_000)}.${'a'.repeat(43)}` }, { isUnclear: true }],
  ['a code that is not a string', { code: [CODE] }, { code: CODE, isUnclear: true }],
  ['a code and a sentence in one text', `${CODE} looks fine`, { code: CODE, reason: 'looks fine' }],
  ['a code after a sentence', `looks fine:\n${CODE}\n`, { code: CODE, reason: 'looks fine:' }],
  ['a code within a sentence', `I, "${CODE}", agree`, { code: CODE, reason: 'I, "[operator code]", agree' }],
  ['a code wrapped by a terminal', `${CODE.slice(0, 20)}\r\n  ${CODE.slice(20)}`, { code: CODE }],
  ['a code with invisible characters in it', { code: `${CODE.slice(0, 5)}\u200b${CODE.slice(5)}` }, { code: CODE }],
  ['a code with its prefix twice', { code: `opc_${CODE}` }, { code: `opc_${CODE}`, otherCodes: [CODE] }],
  ['a code in the reason', { reason: CODE }, { code: CODE }],
  ['the same code twice', { reason: `${CODE} fine`, code: CODE }, { code: CODE, reason: 'fine' }],
  ['a code under a misspelled field name', { Code: CODE }, { code: CODE, isUnclear: true }],
  ['a code as a field name', { [CODE]: true }, { code: CODE, isUnclear: true }],
  ['a code in a list', [CODE], { code: CODE, isUnclear: true }],
  ['a deeply nested code', [{ a: { b: [`x ${CODE}.`] } }], { code: CODE, isUnclear: true }],
  ['a code in an ignored field', { by: CODE, reason: 'x' }, { otherCodes: [CODE], reason: 'x' }],
  ['a code followed by words', { code: `${CODE} looks fine` }, { code: CODE, isUnclear: true }],
  ['two codes', `${CODE} ${OTHER}`, { code: CODE, otherCodes: [OTHER], isUnclear: true }],
  ['two codes without a space', CODE + OTHER, { code: CODE, otherCodes: [OTHER], isUnclear: true }],
  ['a truncated code', `fine: ${CODE.slice(0, -1)}`, { reason: 'fine:' }],
  ['a code that crosses the length limit of a reason', `${'x'.repeat(1990)} ${CODE}`, { code: CODE, reason: 'x'.repeat(1990) }],
  ['a misspelled field name', { By: 'ada@example.com' }, { isUnclear: true }],
  ['a number', 42, { isUnclear: true }],
  ['a list', ['approve', 'by', 'me'], { isUnclear: true }],
  ['fields of the wrong type', { reason: 5 }, { isUnclear: true }],
  ['hidden characters', { reason: 'a\u202eb\u0000c' }, { reason: 'a\\u{202e}b\\u{0}c' }],
])('the note is read: %s', (_, note, read) => {
  expect(readOperatorNote(note)).toEqual(read);
});

test('further arguments of an operator signal are searched for codes too', () => {
  expect(readOperatorNote('fine', null, [CODE])).toEqual({ reason: 'fine', otherCodes: [CODE] });
});

test.each([
  ['beginnings of codes', 'opc_'.repeat(500_000)],
  ['beginnings with dots', 'opc_a.'.repeat(300_000)],
  ['an endless code', `opc_${' '.repeat(1_000_000)}.${' a'.repeat(20)}${' '.repeat(1_000_000)}`],
  ['lists', JSON.parse(`${'['.repeat(3000)}${']'.repeat(3000)}`)],
  ['a long list', Array.from({ length: 300_000 }, () => 'opc_')],
  ['many codes', Array.from({ length: 20_000 }, (_, index) => `opc_${index}.${'a'.repeat(43)}`)],
])('a huge note is read in less than two seconds of processor time: %s', (_, note) => {
  const before = process.cpuUsage();
  expect(readOperatorNote(note).otherCodes?.length ?? 0).toBeLessThan(20);
  expect(process.cpuUsage(before).user).toBeLessThan(2_000_000);
});

test('a long reason is cut to 2000 characters', () => {
  expect(readOperatorNote({ reason: '\u202e'.repeat(1_000_000) }).reason).toHaveLength(2000);
});

test('reason and code hold no invisible characters, and an unclear note has no reason', () => {
  fc.assert(
    fc.property(fc.anything({ withNullPrototype: true }), (note) => {
      const { reason = '', code = '', otherCodes: _, isUnclear = false, ...more } = readOperatorNote(note);
      expect(more).toEqual({});
      if (isUnclear) expect(reason).toBe('');
      for (const text of [reason, code]) expect(text).not.toMatch(/[\u0000-\u0008\u200b\u202a-\u202e]/);
    }),
  );
});
