import fc from 'fast-check';
import { boundError, boundSentence, joinWithin } from '../../domain/bound-error.ts';
import { GatewayError, validationError } from '../../domain/errors.ts';
import { ERROR_LIMITS } from '../../domain/limits.ts';
import { hiderOf } from '../../domain/redaction/hide-secrets.ts';

const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value) ?? '');

test('an error within the limits stays unchanged', () => {
  const details = { issues: [{ path: 'a', message: 'is wrong' }], status: 404 };
  expect(boundError({ message: 'x'.repeat(500), details })).toEqual({ message: 'x'.repeat(500), details });
});

test('an error that quotes any text stays bounded, well-formed and valid JSON', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 5000 }),
    fc.integer({ min: 400, max: 600 }).map((length) => `${'x'.repeat(length)}${'😀'.repeat(400)}`),
    fc.constantFrom('\u0001'.repeat(200_000), '€'.repeat(200_000), '😀'.repeat(100_000)),
  );
  const issues = fc.array(fc.record({ path: text, message: text }), { maxLength: 300 });
  const details = fc.record({ issues, logs: fc.array(text, { maxLength: 200 }), body: text, nested: fc.object() }, { requiredKeys: [] });
  fc.assert(
    fc.property(text, details, (message, given) => {
      const { message: bounded, details: kept } = new GatewayError('VALIDATION_ERROR', message, given);
      expect(bounded.length).toBeLessThanOrEqual(ERROR_LIMITS.sentenceMaxLength);
      if (message.isWellFormed()) expect(bounded.isWellFormed()).toBe(true);
      expect(bytes(kept)).toBeLessThanOrEqual(ERROR_LIMITS.detailsMaxBytes);
      const { issues: keptIssues = [], issuesOmitted = 0 } = (kept ?? {}) as { issues?: unknown[]; issuesOmitted?: number };
      expect(keptIssues.length + issuesOmitted).toBe(given.issues?.length ?? 0);
      expect(keptIssues.length).toBeLessThanOrEqual(ERROR_LIMITS.maxIssues);
      expect(boundError({ message: bounded, details: kept })).toEqual({ message: bounded, details: kept });
    }),
    { numRuns: 60 },
  );
});

test.each([
  [100, undefined],
  [101, 1],
  [50_000, 49_900],
])('of %p issues, at most a hundred are listed, with the number of omitted issues', (count, omitted) => {
  const issues = Array.from({ length: count }, (_, index) => ({ path: `key${index}`, message: 'is unknown' }));
  const error = validationError(issues);
  expect((error.details!.issues as unknown[]).length).toBe(100);
  expect(error.details!.issuesOmitted).toBe(omitted);
  expect(error.message).toContain(`key9: is unknown; and ${count - 10} more`);
});

test('one overlong issue leaves room for the number of omitted issues', () => {
  const sentence = joinWithin(['y'.repeat(600), 'z'], 0);
  expect(sentence).toMatch(/^y+…; and 1 more$/);
  expect(sentence.length).toBeLessThanOrEqual(500);
});

test('a cut text never ends in a lone surrogate', () => {
  for (const length of [498, 499, 500, 501]) expect(boundSentence(`${'x'.repeat(length)}😀😀`).isWellFormed()).toBe(true);
});

test('a partial secret at the end of a cut sentence is hidden', () => {
  const secret = 'correct-horse-battery-staple';
  const { message } = new GatewayError('ACTION_FAILED', `${'x'.repeat(485)}${secret}`);
  expect(message).toContain('correct-horse');
  expect(hiderOf([secret])(message)).not.toContain('corr');
});
