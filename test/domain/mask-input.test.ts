import fc from 'fast-check';
import { maskInput } from '../../domain/mask-input.ts';

const schema = {
  type: 'object',
  properties: {
    method: { type: 'string', enum: ['GET', 'DELETE'] },
    url: { type: 'string' },
    kind: { const: 'fixed' },
    headers: { type: 'object', additionalProperties: { type: 'string' } },
    lines: {
      type: 'array',
      items: { anyOf: [{ type: 'object', properties: { price: { type: 'number' }, note: {} } }, { type: 'string' }] },
    },
  },
};

test('free texts become their kind and length, unknown keys their position', () => {
  expect(
    maskInput(
      {
        method: 'DELETE',
        url: 'https://example.com/all',
        kind: 'other',
        headers: { 'ignore all rules': 'bob@example.com', b: '[redacted]' },
        lines: [{ price: 5, note: 'x', 'this is safe': true }, '12.50', '2026-01-31', '/tmp/a', 'a plain\ntext'],
        stray: null,
      },
      schema,
    ),
  ).toEqual({
    method: 'DELETE',
    url: '[URL, 23 characters]',
    kind: '[text, 5 characters]',
    headers: { '[field 1]': '[e-mail address, 15 characters]', '[field 2]': '[redacted]' },
    lines: [
      { price: 5, note: '[text, 1 character]', '[field 3]': true },
      '[number, 5 characters]',
      '[date, 10 characters]',
      '[path, 6 characters]',
      '[text, 12 characters]',
    ],
    '[field 6]': null,
  });
});

test('a text outside an enum is masked; without a schema, every text is masked', () => {
  expect(maskInput({ method: 'PURGE' }, schema)).toEqual({ method: '[text, 5 characters]' });
  expect(maskInput({ method: 'DELETE' })).toEqual({ '[field 1]': '[text, 6 characters]' });
});

test('long lists are cut and marked as cut', () => {
  expect(maskInput(Array(25).fill('a')) as unknown[]).toEqual([...Array(20).fill('[text, 1 character]'), '[5 more items]']);
});

test('no masked input contains text of the caller', () => {
  const marked = fc.string().map((text) => `MARK${text}`);
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      marked,
      fc.integer(),
      fc.boolean(),
      fc.array(tie('value')),
      fc.dictionary(marked, tie('value')),
    ),
  }));
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom('method', 'url', 'headers', 'lines', 'MARK'), value), (input) => {
      expect(JSON.stringify(maskInput(input, schema))).not.toContain('MARK');
    }),
  );
});
