import { expect, test } from '@jest/globals';
import { inlineReferences } from '../../integrations/declarative/inline-references.ts';
import { describeProps } from '../../integrations/describe-props.ts';

const name = { type: 'string' };

test('a reference is replaced by its definition and the keywords beside the reference', () => {
  const schema = { $ref: '#/$defs/a', required: ['more'], properties: { more: {} } };
  expect(inlineReferences(schema, { a: { required: ['name'], properties: { name } } })).toEqual({
    required: ['name', 'more'],
    properties: { name, more: {} },
  });
  const within = { properties: { name: { $ref: '#/$defs/a/properties/name', description: 'x' } } };
  expect(inlineReferences(within, { a: { properties: { name } } })).toEqual({ properties: { name: { type: 'string', description: 'x' } } });
});

test('a recursive definition stays a reference, and the definition is included', () => {
  const node = { properties: { next: { $ref: '#/$defs/node' } } };
  expect(inlineReferences({ $ref: '#/$defs/node' }, { node, other: {} })).toEqual({ ...node, $defs: { node } });
});

test('exponentially nested definitions stay within the size limit', () => {
  const entries = Array.from({ length: 40 }, (_, index) => {
    const next = { $ref: `#/$defs/d${index + 1}` };
    return [`d${index}`, { properties: { a: next, b: next } }];
  });
  const inlined = inlineReferences({ $ref: '#/$defs/d0' }, { ...Object.fromEntries(entries), d40: name });
  expect(JSON.stringify(inlined).length).toBeLessThan(3_000_000);
});

test('a schema that is true or false is shown as an object', () => {
  const inlined = inlineReferences({ properties: { a: true, b: false, list: { items: true } } });
  expect(inlined.properties).toEqual({ a: {}, b: { not: {} }, list: { items: {} } });
  expect(describeProps(inlined).a).toMatchObject({ type: 'JSON' });
});

test('a property named like a keyword is treated as a property', () => {
  const properties = { default: { $ref: '#/$defs/name' }, enum: { $ref: '#/$defs/name' }, $defs: { $ref: '#/$defs/name' } };
  expect(inlineReferences({ properties }, { name }).properties).toEqual({ default: name, enum: name, $defs: name });
});
