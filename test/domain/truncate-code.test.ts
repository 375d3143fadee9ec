import fc from 'fast-check';
import { truncateCode } from '../../domain/truncate-code.ts';

test('a truncated program is at most as long as the limit', () => {
  const code = fc.array(fc.constantFrom('a', 'bc', '\n', '\r', '\r\n', '\u2028'), { maxLength: 20 }).map((pieces) => pieces.join(''));
  const limits = fc.record({ length: fc.integer({ min: 1, max: 12 }), lineLength: fc.integer({ min: 1, max: 5 }) });
  fc.assert(
    fc.property(code, limits, (source, atMost) => {
      expect(truncateCode(source, atMost).code.length).toBeLessThanOrEqual(atMost.length);
    }),
  );
});

test.each([
  ['a\r\nb', 2, 'a\r'],
  ['a\r\nb', 3, 'a\r\n'],
  ['a\nb', 3, 'a\nb'],
])('%j cut to %i characters is %j', (source, length, code) => {
  expect(truncateCode(source, { length, lineLength: 9 }).code).toBe(code);
});
