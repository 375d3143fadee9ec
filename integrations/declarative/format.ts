import { ACTION_CATEGORIES } from '../../domain/policies/policy.ts';
import { INTEGRATION_CATEGORIES } from '../definition.ts';
import type { JsonSchema } from '../schema/value-schema.ts';
import { AUTH_DEFINITIONS } from './format-auth.ts';
import { listOf, mapOf, record, ref, text } from './format-parts.ts';

const oneOrMore = (item: JsonSchema): JsonSchema => ({ anyOf: [item, listOf(item, 50)] });
const anything = true;

const FIELD = { pattern: '^[^\\x00-\\x1f]{1,256}$', not: { enum: ['__proto__', 'constructor', 'prototype'] } };
const path = text(500);

/** The form of an integration document, as JSON Schema. */
export const FORMAT: JsonSchema = {
  ...record({
    format: { const: 1 },
    displayName: text(100),
    description: text(2000),
    categories: { type: 'array', items: { enum: INTEGRATION_CATEGORIES }, minItems: 1, maxItems: 5, uniqueItems: true },
    'logoUrl?': {
      type: ['string', 'null'],
      pattern: '^(https://[^\\s]{1,2000}|data:image/[a-z+.-]+[;,].{1,20000})$',
      'x-expects': 'an https address',
    },
    auth: { anyOf: [{ type: 'null' }, { ...listOf(ref('auth'), 10), minItems: 1 }] },
    baseUrl: ref('baseUrl'),
    'authenticate?': ref('authenticate'),
    'headers?': mapOf(
      { type: 'string', maxLength: 2000 },
      { propertyNames: { pattern: '^[A-Za-z0-9-]{1,100}$', 'x-expects': 'a name of a header' } },
    ),
    'errors?': oneOrMore(ref('error')),
    'refusals?': oneOrMore(ref('error')),
    'accountDefaults?': listOf(text(100), 50),
    'verification?': record({
      testedAgainst: { enum: ['fake', 'openapi', 'live'] },
      lastVerified: { type: 'string', format: 'date' },
      sources: listOf(text(2000), 50),
    }),
    'setup?': text(5000),
    '$defs?': mapOf(ref('schema')),
    'choices?': mapOf(ref('choices')),
    'paging?': ref('paging'),
    actions: mapOf(ref('action'), {
      minProperties: 1,
      maxProperties: 2000,
      propertyNames: {
        pattern: '^[a-z][a-z0-9_]{0,63}$',
        'x-expects': 'a name such as create_task: at most 64 lower-case letters, digits and _',
      },
    }),
  }),
  $defs: {
    baseUrl: {
      type: 'string',
      pattern: '^(https?://[^\\s?#]{1,2000}|\\{account\\.[\\w-]+\\}[^\\s?#]{0,1000})$',
      'x-expects': 'an address such as https://api.example.com/v1, without a query',
    },
    ...AUTH_DEFINITIONS,
    error: record({
      'message?': oneOrMore(path),
      'code?': oneOrMore(path),
      'noCode?': listOf({ type: 'string' }),
      'unauthorized?': listOf({ type: ['string', 'number'] }),
      'when?': ref('condition'),
      'details?': path,
      'explain?': mapOf(text(500)),
      'facts?': mapOf(text(500)),
      'say?': text(500),
    }),
    condition: record({
      path: { type: 'string', maxLength: 500 },
      'equals?': anything,
      'notEquals?': anything,
      'in?': listOf(anything),
      'notIn?': listOf(anything),
      'matches?': ref('pattern'),
      'notMatches?': ref('pattern'),
      'exists?': { type: 'boolean' },
      'sameAs?': path,
    }),
    pattern: text(1000),
    action: record({
      displayName: text(100),
      description: text(2000),
      category: { enum: ACTION_CATEGORIES },
      'idempotent?': { type: 'boolean' },
      'input?': ref('schema'),
      output: ref('schema'),
      'request?': ref('request'),
      'baseUrl?': ref('baseUrl'),
      'format?': { enum: ['json', 'text', 'xml', 'bytes'] },
      'timeoutSeconds?': { type: 'integer', minimum: 1, maximum: 110 },
      'maxBytes?': { type: 'integer', minimum: 1, maximum: 33_554_432 },
      'answer?': anything,
      'paging?': { anyOf: [ref('paging'), { const: true }] },
      'dynamic?': mapOf({ anyOf: [text(100), ref('choices')] }),
      'recipients?': listOf(text(200), 20),
      'paths?': listOf(text(200), 20),
    }),
    request: record({
      'method?': { enum: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] },
      path: { type: 'string', pattern: '^/[^\\s?#\\\\]{0,1000}$', 'x-expects': 'a path such as /projects/{project_id}, without a query' },
      'query?': ref('fields'),
      'headers?': ref('fields'),
      'json?': anything,
      'form?': ref('fields'),
      'multipart?': ref('fields'),
      'bytes?': { type: ['string', 'object'] },
    }),
    fields: { anyOf: [{ const: true }, { type: 'object' }] },
    paging: record({
      'cursor?': oneOrMore(text(100)),
      'segment?': { type: 'boolean' },
      'size?': record({
        'name?': text(100),
        default: { type: 'integer', minimum: 1 },
        'min?': { type: 'integer', minimum: 1 },
        max: { type: 'integer', minimum: 1, maximum: 100_000 },
      }),
      next: {
        anyOf: [
          path,
          record({ link: text(100) }),
          record({ url: path, 'parameter?': text(100) }),
          record({ segmentOf: path, items: { type: 'string' } }),
          record({ page: path, last: path }),
          record({
            count: { enum: ['pages', 'items'] },
            items: { type: 'string' },
            'first?': { type: 'integer' },
            'more?': path,
            'total?': path,
          }),
          record({ items: { type: 'string' }, field: path, 'more?': path }),
        ],
      },
    }),
    choices: record({
      request: ref('request'),
      'format?': { enum: ['json', 'text', 'xml'] },
      'items?': { type: 'string', maxLength: 500 },
      label: oneOrMore(path),
      'sorted?': { type: 'boolean' },
      value: path,
      'where?': oneOrMore(ref('condition')),
      'refreshers?': listOf(text(100), 20),
      'search?': text(100),
      'paging?': { anyOf: [ref('paging'), { const: true }] },
    }),
    schema: {
      anyOf: [{ type: 'boolean' }, { type: 'object', ...schemaKeywords() }],
    },
    types: { anyOf: [ref('type'), { type: 'array', items: ref('type'), minItems: 1, maxItems: 7, uniqueItems: true }] },
    type: { enum: ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] },
  },
};

/** The keywords with a meaning. Any other key is an annotation. */
function schemaKeywords(): JsonSchema {
  const size = { type: 'integer', minimum: 0 };
  const schema = ref('schema');
  const schemas = mapOf(schema, { propertyNames: FIELD });
  const list = { ...listOf(schema, 200), minItems: 1 };
  const names = listOf(text(256), 2000);
  const same = (value: unknown, ...keys: string[]) => Object.fromEntries(keys.map((key) => [key, value]));
  return {
    properties: {
      type: ref('types'),
      enum: { type: 'array', minItems: 1, maxItems: 2000 },
      required: names,
      pattern: ref('pattern'),
      dependentRequired: mapOf(names),
      items: { anyOf: [schema, list] },
      ...same({ type: 'string', maxLength: 10_000 }, 'description', 'title', 'format', '$ref'),
      ...same({ type: 'boolean' }, 'uniqueItems', 'public', 'readOnly', 'writeOnly', 'deprecated'),
      ...same({ type: 'number' }, 'minimum', 'maximum', 'multipleOf'),
      ...same({ type: ['number', 'boolean'] }, 'exclusiveMinimum', 'exclusiveMaximum'),
      ...same(size, 'minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties', 'minContains', 'maxContains'),
      ...same(schemas, 'properties', 'patternProperties', '$defs', 'dependentSchemas'),
      ...same(list, 'allOf', 'anyOf', 'oneOf', 'prefixItems'),
      ...same(
        schema,
        'additionalProperties',
        'unevaluatedProperties',
        'unevaluatedItems',
        'propertyNames',
        'contains',
        'not',
        'if',
        'then',
        'else',
      ),
    },
  };
}
