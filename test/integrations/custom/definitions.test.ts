import { closureOf, definitionTexts } from '../../../integrations/custom/definitions.ts';

const KB = 1024;
// One character of this text is three bytes.
const cjk = (kilobytes: number) => ({ type: 'string', description: '字'.repeat((kilobytes * KB) / 3) });

test('the size of a schema is counted in bytes', () => {
  expect(closureOf(cjk(250), definitionTexts({})).isCut).toBe(false);
  expect(closureOf(cjk(260), definitionTexts({})).isCut).toBe(true);
});

test('the sizes of shared schemas are counted in bytes', () => {
  const schema = { properties: { a: { $ref: '#/$defs/A' }, b: { $ref: '#/$defs/B' } } };
  const { uses, isCut } = closureOf(schema, definitionTexts({ A: cjk(150), B: cjk(150) }));
  expect([typeof uses.A, uses.B, isCut]).toEqual(['string', null, true]);
});
