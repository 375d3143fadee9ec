import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { previewInput } from '../../../domain/redaction/preview-input.ts';
import { escapeHidden } from '../../../domain/redaction/visible-text.ts';

type Json = Record<string, unknown>;

/** Some of the words are secrets; some become equal by escaping or hiding. */
const words = fc.constantFrom(
  'a',
  'b',
  'password',
  'token',
  'name',
  'value',
  `svc_${'k'.repeat(30)}1`,
  `svc_${'m'.repeat(30)}1`,
  'x\u200b',
  'x\\u{200b}',
);
const texts = fc.oneof(words, fc.string(), fc.constant('x'.repeat(5000)), fc.constant('{"a":{"pin":"4711"}}'), fc.integer().map(String));
const { value: anything } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    texts,
    fc.integer(),
    fc.constantFrom(true, null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(words, fc.string()), tie('value'), { maxKeys: 5 }),
  ),
}));
const inputs = fc.dictionary(fc.oneof(words, fc.string()), anything, { maxKeys: 6 }) as fc.Arbitrary<Json>;

/** Reverses the order of all keys. The result has the same hash as the original. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, turned(item)]),
  );
}

const seen = (input: Json) => {
  const { preview, redactedPaths } = previewInput(input);
  return canonicalize({ preview, redactedPaths: [...redactedPaths].sort() });
};

test('inputs with the same canonical form have the same preview, and another preview means another form', () => {
  fc.assert(
    fc.property(inputs, fc.nat(300), (input, count) => {
      const wide = { ...input, many: Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, index])) };
      expect(canonicalize(turned(wide))).toBe(canonicalize(wide));
      expect(seen(turned(wide) as Json)).toBe(seen(wide));
    }),
    { numRuns: 50 },
  );
  fc.assert(
    fc.property(inputs, inputs, (one, other) => {
      if (seen(one) !== seen(other)) expect(canonicalize(one)).not.toBe(canonicalize(other));
    }),
  );
});

test('different numbers at a shown depth have different previews', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 20 }),
      fc.integer(),
      fc.integer(),
      (path, one, other) => {
        const at = (value: unknown) => path.reduceRight<unknown>((inside, key) => ({ [key]: inside }), value) as Json;
        if (one !== other && path.length <= 12) expect(seen(at(one))).not.toBe(seen(at(other)));
      },
    ),
  );
});

test('every value of an input is shown, named as hidden, or counted as cut', () => {
  fc.assert(
    fc.property(inputs, fc.nat(450), fc.nat(16), (input, length, depth) => {
      const deep = Array.from({ length: depth }).reduce<unknown>((inside) => ({ d: inside }), 'the end');
      const whole = { ...input, long: Array.from({ length }, (_, index) => ({ index })), deep };
      const { preview, redactedPaths, isCut = false } = previewInput(whole);
      expect(missing(whole, preview, '', new Set(redactedPaths))).toEqual([]);
      if (JSON.stringify(preview).includes(TOO_LARGE)) expect(isCut).toBe(true);
    }),
    { numRuns: 50 },
  );
});

const TOO_LARGE = '[not shown: the input is too large]';
const CUT =
  /^\[\d+ more items\]$|^\d+ more fields$|^\[(deeper values are not shown|not shown: the input is too large)\]$|… \[\d+ more characters\]$/;

function missing(value: unknown, shown: unknown, path: string, hidden: ReadonlySet<string>): string[] {
  if (hidden.has(path) || (typeof shown === 'string' && CUT.test(shown))) return [];
  if (value === null || typeof value !== 'object') {
    return shown === value || shown === escapeHidden(String(value)) ? [] : [path];
  }
  if (shown === null || typeof shown !== 'object') return [path];
  const left = Object.entries(shown);
  const isCut = left.some(([, item]) => typeof item === 'string' && CUT.test(item));
  return Object.entries(value).flatMap(([key, item]) => {
    // The preview can show this key under another name, so every name with the same value counts.
    const places = Object.hasOwn(shown, key) && escapeHidden(key) === key ? [[key, (shown as Json)[key]] as const] : left;
    const told = places.some(([name, inside]) => missing(item, inside, path === '' ? name : `${path}.${name}`, hidden).length === 0);
    return told || isCut ? [] : [`${path}.${key}`];
  });
}

test('an oversized input is shown up to a limit and marked as cut', () => {
  const rows = Array.from({ length: 190 }, () => Array.from({ length: 190 }, () => 'some words'));
  const { preview } = previewInput({ rows });
  const text = JSON.stringify(preview);
  expect(text).toContain('some words');
  expect(text).toContain(TOO_LARGE);
  expect(text.length).toBeLessThan(2_000_000);
});
