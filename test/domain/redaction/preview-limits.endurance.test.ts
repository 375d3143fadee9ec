import fc from 'fast-check';
import { previewInput } from '../../../domain/redaction/preview-input.ts';
import { escapeHidden, visibleText } from '../../../domain/redaction/visible-text.ts';

test('long texts, keys, paths and lists are cut and marked as cut', () => {
  const { preview, redactedPaths } = previewInput({
    text: 'x'.repeat(900_000),
    [`k${'y'.repeat(10_000)}`]: { password: 'S3CRET' },
    list: Array.from({ length: 250 }, (_, index) => index),
    many: Object.fromEntries(Array.from({ length: 250 }, (_, index) => [`f${index}`, index])),
  });
  const [key] = Object.keys(preview).filter((name) => name.startsWith('k'));
  expect(preview.text).toMatch(/^x{4000}… \[896000 more characters\]$/);
  expect(key).toMatch(/^ky{3999}… \[6001 more characters\]$/);
  expect(redactedPaths[0]).toMatch(/^ky{199}…\.password$/);
  expect((preview.list as unknown[]).at(-1)).toBe('[50 more items]');
  expect((preview.many as Record<string, unknown>)['[more]']).toBe('50 more fields');
});

test('isCut tells whether a preview omits anything', () => {
  const long = 'x '.repeat(2001);
  expect(previewInput({ text: long.slice(0, 4000), list: [1] }).isCut).toBeUndefined();
  expect(previewInput({ text: `${long.slice(0, 3000)} ghp_${'a'.repeat(2000)}` }).isCut).toBeUndefined();
  const deep = JSON.parse(`${'['.repeat(20)}1${']'.repeat(20)}`);
  const cut = [
    long,
    { [long]: 1 },
    Array(201).fill(1),
    deep,
    JSON.stringify({ a: long, token: 'S3CRET' }),
    Array(60).fill(long.slice(0, 999)),
  ];
  for (const value of cut) expect(previewInput({ value }).isCut).toBe(true);
});

test('the first 1000 hidden paths are listed, the others are counted', () => {
  const list = Array.from({ length: 40 }, () => Array.from({ length: 40 }, () => ({ pin: 1 })));
  const { redactedPaths } = previewInput({ list });
  expect(redactedPaths).toHaveLength(1001);
  expect(redactedPaths.at(-1)).toBe('[600 more]');
});

test('the preview and paths of any input hold no NUL and no lone surrogate', () => {
  const nasty = fc.string({ unit: fc.constantFrom('\0', '\ud800', '\udc00', '😀', 'a', '=', ':', '"', '{', 'token', '4111111111111111') });
  fc.assert(
    fc.property(fc.dictionary(nasty, fc.oneof(nasty, fc.jsonValue({ stringUnit: 'binary' }), fc.dictionary(nasty, nasty))), (input) => {
      const { preview, redactedPaths } = previewInput(input);
      const texts: string[] = [...redactedPaths];
      JSON.stringify(preview, (key, value) => {
        texts.push(key, ...(typeof value === 'string' ? [value] : []));
        return value;
      });
      expect(texts.filter((text) => !text.isWellFormed() || text.includes('\0'))).toEqual([]);
    }),
  );
});

test('NUL and a lone surrogate in a key are shown escaped', () => {
  const { preview, redactedPaths } = previewInput({ 'password\0': 'x', a: { '\ud800token': 'x' } });
  expect(preview).toEqual({ 'password\\u{0}': '[redacted]', a: { '\\u{d800}token': '[redacted]' } });
  expect(redactedPaths).toEqual(['a.\\u{d800}token', 'password\\u{0}']);
});

test('a cut never leaves a lone surrogate', () => {
  expect(visibleText(`${'x'.repeat(3999)}😀`).isWellFormed()).toBe(true);
  expect(previewInput({ [`${'x'.repeat(199)}😀`]: { pin: 1 } }).redactedPaths[0]?.isWellFormed()).toBe(true);
});

test('escaping twice changes nothing', () => {
  const once = escapeHidden('a\0\u202e\u{e0041}\ud800');
  expect(once).toBe('a\\u{0}\\u{202e}\\u{e0041}\\u{d800}');
  expect(escapeHidden(once)).toBe(once);
});

/** A pattern with quadratic backtracking would time out on these texts. */
test.each<[string, string]>([
  ['base64', 'QUJD'],
  ['capitals', 'A'],
  ['digits', '4'],
  ['digits and spaces', '4 '],
  ['separators', '='],
  ['parameters', 'token='],
  ['names', 'aaaa:'],
  ['elements', '<a>'],
  ['quotes', 'token="'],
  ['escaped quotes', 'token=\\"'],
  ['dots', 'eyJ.'],
  ['schemes', '://:'],
  ['spaces', ' '],
  ['brackets', '['],
  ['braces', '{"a":'],
  ['hex', '7061'],
  ['escapes', '%70%61'],
  ['escaped letters', '\\x70'],
  ['entities', '&#112;'],
  ['base64 of base64', Buffer.from(Buffer.from('password=x y z').toString('base64')).toString('base64')],
  ['vendor prefixes', 'sk-'],
  ['vendor tokens', 'ghp_'],
  ['beginnings of JWTs', 'eyJeyJeyJ'],
  ['PEM', '-----BEGIN PRIVATE KEY-----'],
  ['flags', ' --token'],
  ['users', ' -u a:'],
  ['SQL', "identified by '"],
  ['names and values', 'name="token" value='],
  ['tags', '<token '],
  ['open lists', 'token: ['],
  ['open blocks', 'token:\n  '],
  ['open elements', '<token>'],
  ['words for secrets', 'the password is '],
  ['paths', '/token/a1'],
  ['full-width letters', 'ｐａ：'],
  ['ligatures that grow', '\ufdfa'],
  ['hidden characters', '\u200b'],
  ['AWS', 'AKIAAAAAAAAAAAAAAAAA '],
])('a megabyte of %s is previewed, as a value and as a key', (_, part) => {
  const text = part.repeat(1_000_000 / part.length);
  expect(
    Object.keys(previewInput({ text, [text]: text, list: [text], json: `[${JSON.stringify(text.slice(0, 200_000))}]` }).preview),
  ).toHaveLength(4);
});
