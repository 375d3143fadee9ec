import type { JsonSchema } from '../../integrations/catalog.ts';
import { isIdentifier } from './code-names.ts';
import { comment, meaningOf } from './comment-of-schema.ts';

export interface TypeStyle {
  /** True: descriptions of fields become comments, with one field in each line. */
  comments: boolean;
  /**
   * True: comments include limits, and shared objects are declared inline. Never set for outputs.
   */
  limits: boolean;
  indent: string;
}

/** Names and definitions of recursive and shared types. Callers must declare these types. */
export interface NamedTypes {
  prefix: string;
  texts: Map<string, string>;
  /** Maps the schema of an object, as JSON, to the name of its type. */
  shared?: ReadonlyMap<string, string> | undefined;
}

/**
 * The TypeScript type of the values that a JSON Schema admits, without what TypeScript cannot
 * express. Adds recursive and shared types to `named`; without `named`, a recursion ends in
 * `unknown`.
 */
export function typescriptOf(schema: unknown, style: TypeStyle, named?: NamedTypes): string {
  return write({ style, root: schema, open: [], named, names: new Map() }, schema);
}

/** A property key in TypeScript, quoted if it is not an identifier. */
export function propertyName(key: string): string {
  return isIdentifier(key) ? key : JSON.stringify(key);
}

interface Writer {
  style: TypeStyle;
  root: unknown;
  /** References that are being written now, to detect recursion. */
  open: readonly string[];
  named: NamedTypes | undefined;
  /** Names of recursive references. */
  names: Map<string, string>;
}

function write(writer: Writer, schema: unknown): string {
  if (schema === false) return 'never';
  if (!isSchema(schema)) return 'unknown';
  const parts = [referred(writer, schema), ...combined(writer, schema), own(writer, schema)].filter((part) => part !== 'unknown');
  const type = intersectionOf(parts);
  return schema.nullable === true ? unionOf([type, 'null']) : type;
}

function isSchema(schema: unknown): schema is JsonSchema {
  return schema !== null && typeof schema === 'object';
}

function referred(writer: Writer, { $ref: reference }: JsonSchema): string {
  if (typeof reference !== 'string') return 'unknown';
  const { named, names, open } = writer;
  if (open.includes(reference)) return named ? nameOf(named, names, reference) : 'unknown';
  const known = names.get(reference);
  if (known !== undefined) return known;

  const inner = { ...writer, open: [...open, reference] };
  const target = targetOf(writer.root, reference);
  const text = write(inner, target);
  const name = names.get(reference);
  if (!named || name === undefined) return text;
  named.texts.set(name, write({ ...inner, style: { ...writer.style, indent: '' } }, target));
  return name;
}

function nameOf({ prefix, texts }: NamedTypes, names: Map<string, string>, reference: string): string {
  const name = names.get(reference) ?? `${prefix}${texts.size + 1}`;
  names.set(reference, name);
  if (!texts.has(name)) texts.set(name, '');
  return name;
}

function targetOf(root: unknown, reference: string): unknown {
  if (!reference.startsWith('#')) return undefined;
  const keys = reference
    .split('/')
    .slice(1)
    .map((key) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~'));
  return keys.reduce<unknown>((at, key) => (isSchema(at) && Object.hasOwn(at, key) ? at[key] : undefined), root);
}

function combined(writer: Writer, { anyOf, oneOf, allOf }: JsonSchema): string[] {
  const either = [anyOf, oneOf].filter(Array.isArray).map((choices) => unionOf(choices.map((choice) => write(writer, choice))));
  return [...either, ...(Array.isArray(allOf) ? allOf.map((part) => write(writer, part)) : [])];
}

function own(writer: Writer, schema: JsonSchema): string {
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return unionOf(schema.enum.map((value) => JSON.stringify(value)));
  if (Array.isArray(schema.type)) return unionOf(schema.type.map((type) => plain(writer, { ...schema, type })));
  return plain(writer, schema);
}

function plain(writer: Writer, schema: JsonSchema): string {
  if (schema.type === 'array') return arrayOf(writer, schema);
  if (schema.type === 'object' || (schema.type === undefined && schema.properties)) return objectOf(writer, schema);
  return PLAIN[String(schema.type)] ?? 'unknown';
}

const PLAIN: Record<string, string> = { string: 'string', number: 'number', integer: 'number', boolean: 'boolean', null: 'null' };
const LITERALS = { string: /^"/, number: /^-?\d/, boolean: /^(?:true|false)$/ };

function unionOf(types: readonly string[]): string {
  const distinct = new Set(types);
  if (distinct.has('unknown')) return 'unknown';
  if (distinct.size > 1) distinct.delete('never');
  for (const [wide, literal] of Object.entries(LITERALS))
    if (distinct.has(wide)) for (const type of distinct) if (literal.test(type) && !/ [|&] /.test(type)) distinct.delete(type);
  return [...distinct].join(' | ') || 'never';
}

function intersectionOf(types: readonly string[]): string {
  const distinct = [...new Set(types)];
  return distinct.length > 1 ? distinct.map(bracketed).join(' & ') : (distinct[0] ?? 'unknown');
}

function bracketed(type: string): string {
  return / [|&] /.test(type) && !/^[{[(][^{}[\]()]*[}\])]$/.test(type) ? `(${type})` : type;
}

function arrayOf(writer: Writer, schema: JsonSchema): string {
  const places = schema.prefixItems ?? schema.items;
  if (Array.isArray(places)) return tupleOf(writer, schema, places);
  return `${bracketed(write(writer, schema.items))}[]`;
}

function tupleOf(writer: Writer, { prefixItems, items, additionalItems, minItems, maxItems }: JsonSchema, places: unknown[]): string {
  const needed = typeof minItems === 'number' ? minItems : 0;
  const others = prefixItems === undefined ? additionalItems : items;
  const isFull = others === false || (typeof maxItems === 'number' && maxItems <= places.length);
  const types = places.map((place, index) => (index < needed ? write(writer, place) : `${bracketed(write(writer, place))}?`));
  return `[${[...types, ...(isFull ? [] : [`...${bracketed(write(writer, others))}[]`])].join(', ')}]`;
}

function objectOf(writer: Writer, schema: JsonSchema): string {
  const { named, style } = writer;
  const name = named?.shared?.size && schema.properties && !style.limits ? named.shared.get(JSON.stringify(schema)) : undefined;
  if (!named || name === undefined) return writeObject(writer, schema);
  if (!named.texts.has(name)) {
    named.texts.set(name, '');
    named.texts.set(name, writeObject({ ...writer, style: { ...style, indent: '' } }, schema));
  }
  return name;
}

function writeObject(writer: Writer, schema: JsonSchema): string {
  const { properties = {}, additionalProperties: others, patternProperties, propertyNames } = schema;
  const required: unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const names = isSchema(propertyNames) && Array.isArray(propertyNames.enum) ? propertyNames.enum.map(String) : undefined;
  const value = others === false && isSchema(patternProperties) ? { anyOf: Object.values(patternProperties) } : (others ?? true);
  // `required` and `propertyNames` can name keys that `properties` does not describe. These keys
  // have the type of additional keys.
  const onlyNamed = [...required.map(String), ...(names ?? [])].filter((key) => !Object.hasOwn(properties as JsonSchema, key));
  const described = { ...(properties as JsonSchema), ...Object.fromEntries(onlyNamed.map((key) => [key, value])) };
  const fields = Object.entries(described);
  // Without `properties` and `additionalProperties`, the object can have any keys.
  const isUndescribed = others === undefined && Object.keys(properties as JsonSchema).length === 0;
  const isOpen = names === undefined && (isUndescribed || (others !== undefined && others !== false) || isSchema(patternProperties));
  if (fields.length === 0) return recordOf(writer, value);

  const inner: Writer = { ...writer, style: { ...writer.style, indent: `${writer.style.indent} ` } };
  const lines = fields.map(([key, field]) => fieldOf(inner, key, field, required.includes(key)));
  const index = Object.keys(properties as JsonSchema).length > 0 ? 'unknown' : write(inner, value);
  const { comments, indent } = writer.style;
  if (isOpen) lines.push(comments ? `${indent} [key: string]: ${index};\n` : `[key: string]: ${index}`);
  return comments ? `{\n${lines.join('')}${indent}}` : `{ ${lines.join('; ')} }`;
}

function recordOf(writer: Writer, value: unknown): string {
  const type = write(writer, value);
  // TypeScript refuses a type that refers to itself through Record.
  const holdsNamed = [...(writer.named?.texts.keys() ?? [])].some((name) => type.includes(name));
  return holdsNamed ? `{ [key: string]: ${type} }` : `Record<string, ${type}>`;
}

function fieldOf(writer: Writer, key: string, schema: unknown, isRequired: boolean): string {
  const { comments, limits, indent } = writer.style;
  const field = `${propertyName(key)}${isRequired ? '' : '?'}: ${write(writer, schema)}`;
  return comments ? `${comment(meaningOf(schema, { limits }), indent)}${indent}${field};\n` : field;
}
