import { previewInput } from '../../../domain/redaction/preview-input.ts';
import { INNOCENT } from './innocent-corpus.ts';
import { readings } from './readings.ts';
import { SECRETS } from './secrets-corpus.ts';

test('the corpus has more than two hundred secrets and more than a hundred innocent values', () => {
  expect(SECRETS.length).toBeGreaterThan(200);
  expect(INNOCENT.length).toBeGreaterThan(100);
});

test.each(SECRETS)('a secret is absent from the preview, even encoded, and its path is listed: $name', ({ input, secrets, paths }) => {
  const { preview, redactedPaths } = previewInput(input);
  const read = readings(preview);
  for (const secret of secrets) for (const text of read) expect(text).not.toContain(secret.toLowerCase());
  expect(redactedPaths.length).toBeGreaterThan(0);
  expect(redactedPaths).toEqual(expect.arrayContaining(paths));
});

test.each(INNOCENT)('an innocent value stays readable: %s', (_, input) => {
  expect(previewInput(input)).toEqual({ preview: input, redactedPaths: [] });
});
