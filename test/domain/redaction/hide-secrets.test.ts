import { afterEach, describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { hiderOf } from '../../../domain/redaction/hide-secrets.ts';

/** These texts share no character with `[redacted]`, so that no secret is a part of the marker. */
const letters = fc.array(fc.constantFrom('x', 'y', ' ', '/', '"', '😀', 'ü'), { maxLength: 40 }).map((all) => all.join(''));
const secrets = fc.array(letters, { maxLength: 8 });

const formsOf = (secret: string) => {
  const inUrl = encodeURIComponent(secret);
  const inJson = JSON.stringify(secret).slice(1, -1);
  return secret.length < 4 ? [] : [secret, inUrl, inUrl.replaceAll('%20', '+'), inJson, inJson.replaceAll('/', '\\/')];
};

const echo = fc.tuple(secrets, fc.array(fc.tuple(letters, fc.nat(), fc.nat(), fc.nat(3)), { maxLength: 8 })).map(([kept, parts]) => {
  const forms = kept.flatMap(formsOf);
  const said = parts.map(([text, pick, form, missing]) => {
    const secret = forms[(pick * 5 + form) % Math.max(1, forms.length)] ?? '';
    return text + secret + secret.slice(0, secret.length - missing);
  });
  return { kept, forms, text: said.join('') };
});

function hideSlowly(text: string, forms: readonly string[]): string {
  const hidden = new Set<number>();
  for (const form of forms)
    for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + 1))
      for (let i = 0; i < form.length; i += 1) hidden.add(at + i);
  return text
    .split('')
    .map((unit, at) => (!hidden.has(at) ? unit : hidden.has(at - 1) ? '' : '[redacted]'))
    .join('');
}

afterEach(() => void jest.restoreAllMocks());

describe('a text whose secrets are hidden', () => {
  test('contains no secret in any form, and keeps everything else', () =>
    fc.assert(
      fc.property(echo, ({ kept, forms, text }) => expect(hiderOf(kept)(text)).toBe(hideSlowly(text, forms))),
      { numRuns: 1000 },
    ));

  test('contains no secret after a cut, not even the beginning of a secret', () =>
    fc.assert(
      fc.property(echo, fc.nat(80), ({ kept, forms, text }, maxLength) => {
        const shown = hiderOf(kept)(text, maxLength);
        for (const part of shown.split('[redacted]')) for (const form of forms) expect(part).not.toContain(form);
        const begun = forms.some((form) => form.length > 4 && shown.endsWith(form.slice(0, 4)));
        expect(begun && text.length > maxLength).toBe(false);
        expect(text.isWellFormed() && !shown.isWellFormed()).toBe(false);
      }),
      { numRuns: 1000 },
    ));

  test('is at most 2.5 times as long as the original', () => {
    const marker = fc.array(fc.constantFrom(...'[redacted]'), { minLength: 1, maxLength: 300 }).map((all) => all.join(''));
    const parts = ['[redacted]', 'redacted', '[red', 'reda', 'edac', 'dact', 'acte', 'cted', 'ted]', '][re', '[redacted][redacted]'];
    fc.assert(
      fc.property(fc.subarray(parts), marker, fc.nat(400), (kept, text, maxLength) => {
        expect(hiderOf(kept)(text, maxLength).length).toBeLessThanOrEqual(2.5 * Math.min(text.length, maxLength));
      }),
    );
    expect(hiderOf(parts)('reda'.repeat(30_000))).toBe('[redacted]');
    expect(hiderOf(parts)('reda-'.repeat(3))).toBe('[redacted]-[redacted]-[redacted]-');
  });

  test('stays unchanged without secrets, or if each secret is shorter than four characters', () => {
    expect(hiderOf([])('as it is')).toBe('as it is');
    expect(hiderOf(['as ', '', 'is'])('as it is')).toBe('as it is');
  });
});

describe('the search for secrets', () => {
  /** Each character takes one look-up for its number, and on average at most two for its state. */
  const steps = (kept: string[], text: string) => {
    const look = jest.spyOn(Map.prototype, 'get');
    hiderOf(kept)(text);
    const count = look.mock.calls.length;
    look.mockRestore();
    return count;
  };

  test('takes at most 3 look-ups for each character of the text, and 6 for each character of the secrets', () => {
    const length = 3000;
    for (const kept of [
      Array.from({ length: 40 }, (_, index) => `${'a'.repeat(length - index)}b`),
      Array.from({ length: 40 }, (_, index) => `b${'a'.repeat(length - index)}`),
      Array.from({ length: 1000 }, (_, index) => `aaaa${index}`),
    ]) {
      const size = kept.join('').length;
      const text = 'a'.repeat(100_000);
      expect(steps(kept, text)).toBeLessThanOrEqual(3 * (text.length + 2 * size));
    }
  });

  test('ignores the part of the text beyond the cut', () => {
    expect(steps(['secret'], `${'x'.repeat(100_000)}secret`)).toBeGreaterThan(0);
    const look = jest.spyOn(Map.prototype, 'get');
    expect(hiderOf(['secret'])(`${'x'.repeat(100_000)}secret`, 100)).toBe('x'.repeat(100));
    expect(look).not.toHaveBeenCalled();
  });

  test.each([
    ['more than 1,000 secrets', Array.from({ length: 1001 }, (_, index) => `secret-${index}`)],
    ['more than 256 kB of secrets', Array.from({ length: 5 }, (_, index) => `${index}${'x'.repeat(64 * 1024)}`)],
  ])('is skipped for %s: texts of at least four characters are hidden completely', (_, kept) => {
    const hide = hiderOf(kept);
    expect([hide('any text'), hide('abc')]).toEqual(['[redacted]', 'abc']);
  });

  test('finds three secrets of 64 kB', () => {
    const kept = ['x', 'y', 'z'].map((letter) => letter.repeat(64 * 1024));
    expect(hiderOf(kept)(`a${kept.join(' ')}b`)).toBe('a[redacted] [redacted] [redacted]b');
  });
});
