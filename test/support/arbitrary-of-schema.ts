import fc from 'fast-check';

/** The parts of JSON Schema that describe requests. */
export interface JsonSchema {
  $ref?: string;
  type?: string | readonly string[];
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly JsonSchema[];
  oneOf?: readonly JsonSchema[];
  allOf?: readonly JsonSchema[];
  properties?: Readonly<Record<string, JsonSchema>>;
  required?: readonly string[];
  additionalProperties?: boolean | JsonSchema;
  propertyNames?: JsonSchema;
  items?: JsonSchema;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
}

export interface SchemaWorld {
  /** Returns the schema that a `$ref` names. */
  resolve(reference: string): JsonSchema;
  /** Meaningful values by property name: ids of existing records, names of the catalogue. */
  known?: Readonly<Record<string, readonly unknown[]>>;
}

/**
 * Generates values of a schema, including values at its bounds. A property whose name is in
 * `world.known` mostly gets a known value.
 */
export function arbitraryOfSchema(schema: JsonSchema, world: SchemaWorld, name = ''): fc.Arbitrary<unknown> {
  const known = world.known?.[name];
  const any = fromSchema(schema, world);
  return known ? fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: any }) : any;
}

function fromSchema(schema: JsonSchema, world: SchemaWorld): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) return arbitraryOfSchema(world.resolve(schema.$ref), world);
  if (schema.allOf) return fromSchema(merge(schema, world), world);
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const either = schema.anyOf ?? schema.oneOf;
  if (either) return fc.oneof(...either.map((one) => fromSchema(one, world)));
  const types = [schema.type ?? []].flat();
  if (types.length === 0) return fc.jsonValue({ maxDepth: 2 });
  return fc.oneof(...types.map((type) => ofType(type, schema, world)));
}

function merge({ allOf = [], ...rest }: JsonSchema, { resolve }: SchemaWorld): JsonSchema {
  const parts = [rest, ...allOf.map((part) => (part.$ref === undefined ? part : resolve(part.$ref)))];
  return {
    ...Object.assign({}, ...parts),
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required = [] }) => required),
  };
}

function ofType(type: string, schema: JsonSchema, world: SchemaWorld): fc.Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
    case 'number':
      return numbers(type, schema);
    case 'string':
      return strings(schema);
    case 'array':
      return arrays(schema, world);
    case 'object':
      return objects(schema, world);
    default:
      throw new Error(`no values are known for the type ${type}`);
  }
}

function numbers(type: 'integer' | 'number', schema: JsonSchema): fc.Arbitrary<number> {
  const min = schema.minimum ?? (schema.exclusiveMinimum === undefined ? -1e6 : schema.exclusiveMinimum + 1);
  const max = schema.maximum ?? (schema.exclusiveMaximum === undefined ? 1e6 : schema.exclusiveMaximum - 1);
  const within = type === 'integer' ? fc.integer({ min, max }) : fc.double({ min, max, noNaN: true });
  return fc.oneof(within, fc.constantFrom(min, max));
}

const FORMATS: Record<string, fc.Arbitrary<string>> = {
  uuid: fc.uuid(),
  email: fc.nat(1e6).map((n) => `somebody-${n}@example.com`),
  'date-time': fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-12-31') }).map((date) => date.toISOString()),
};

/** Maximum length of a random string, unless `minLength` is greater. */
const READABLE = 24;

function strings({ format, pattern, minLength = 0, maxLength = 10_000 }: JsonSchema): fc.Arbitrary<string> {
  if (format !== undefined && FORMATS[format]) return FORMATS[format];
  if (pattern !== undefined)
    return fc.stringMatching(new RegExp(pattern, 'u')).filter(({ length }) => length >= minLength && length <= maxLength);
  const readable = fc.string({ unit: 'grapheme', minLength, maxLength: Math.max(minLength, Math.min(maxLength, READABLE)) });
  const edges = fc.constantFrom('x'.repeat(minLength), 'x'.repeat(maxLength));
  return fc.oneof({ weight: 6, arbitrary: readable.filter(({ length }) => length <= maxLength) }, { weight: 1, arbitrary: edges });
}

const FEW = 4;

function arrays({ items = {}, minItems = 0, maxItems = FEW }: JsonSchema, world: SchemaWorld): fc.Arbitrary<unknown[]> {
  return fc.array(arbitraryOfSchema(items, world), { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, FEW)) });
}

function objects(schema: JsonSchema, world: SchemaWorld): fc.Arbitrary<object> {
  const { properties = {}, required = [], additionalProperties = true, propertyNames } = schema;
  const named = fc.record(
    Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, arbitraryOfSchema(property, world, name)])),
    { requiredKeys: [...required].filter((name) => Object.hasOwn(properties, name)) },
  );
  if (additionalProperties === false || Object.keys(properties).length > 0) return named;
  const keys = propertyNames ? (arbitraryOfSchema(propertyNames, world) as fc.Arbitrary<string>) : fc.string({ maxLength: READABLE });
  const values = typeof additionalProperties === 'object' ? arbitraryOfSchema(additionalProperties, world) : fc.jsonValue({ maxDepth: 2 });
  return fc.dictionary(keys, values, { maxKeys: FEW });
}
