import type { JsonSchema } from '../integrations/catalog.ts';

export interface TypeStyle {
  /** Write what fields mean as comments, one field a line. */
  comments: boolean;
  indent: string;
}

/** The TypeScript type of the values that a JSON Schema admits; what TypeScript cannot say (lengths, patterns) is left out. */
export function typescriptOf(schema: unknown, style: TypeStyle, root: unknown = schema, open: readonly string[] = []): string {
  if (schema === false) return 'never';
  if (!isSchema(schema)) return 'unknown';
  const writer: Writer = { style, root, open };
  if (typeof schema.$ref === 'string') return referred(writer, schema.$ref);
  const type = typeOf(writer, schema);
  return schema.nullable === true ? unionOf([type, 'null']) : type;
}

/** A key as TypeScript writes it: quoted where it is no name. */
export function propertyName(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
}

/** A one-line comment; empty where there is nothing to say. */
export function comment(text: string | undefined, indent: string): string {
  const line = (text ?? '').replace(/\s+/g, ' ').replaceAll('*/', '*\\/').trim();
  if (line === '') return '';
  return `${indent}/** ${line.length > MAX_COMMENT ? `${line.slice(0, MAX_COMMENT - 1)}…` : line} */\n`;
}

const MAX_COMMENT = 300;
const MAX_DEPTH = 12;

interface Writer {
  style: TypeStyle;
  root: unknown;
  /** References that are being written, against types that contain themselves. */
  open: readonly string[];
}

function isSchema(schema: unknown): schema is JsonSchema {
  return schema !== null && typeof schema === 'object';
}

function write({ style, root, open }: Writer, schema: unknown): string {
  return typescriptOf(schema, style, root, open);
}

function referred(writer: Writer, reference: string): string {
  if (writer.open.includes(reference) || writer.open.length >= MAX_DEPTH) return 'unknown';
  const path = reference.startsWith('#') ? reference.slice(1).split('/').slice(1) : ['elsewhere'];
  const target = path.reduce<unknown>((at, key) => (isSchema(at) ? at[key] : undefined), writer.root);
  return typescriptOf(target, writer.style, writer.root, [...writer.open, reference]);
}

function typeOf(writer: Writer, schema: JsonSchema): string {
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return unionOf(schema.enum.map((value) => JSON.stringify(value)));
  const choices = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(choices)) return unionOf(choices.map((choice) => write(writer, choice)));
  if (Array.isArray(schema.allOf)) return schema.allOf.map((part) => bracketed(write(writer, part))).join(' & ');
  if (Array.isArray(schema.type)) return unionOf(schema.type.map((type) => typeOf(writer, { ...schema, type })));
  if (schema.type === 'array') return arrayOf(writer, schema);
  if (schema.type === 'object' || schema.properties) return objectOf(writer, schema);
  return PLAIN[String(schema.type)] ?? 'unknown';
}

const PLAIN: Record<string, string> = { string: 'string', number: 'number', integer: 'number', boolean: 'boolean', null: 'null' };

function unionOf(types: readonly string[]): string {
  const distinct = [...new Set(types)];
  return distinct.includes('unknown') ? 'unknown' : distinct.join(' | ');
}

function bracketed(type: string): string {
  return / [|&] /.test(type) && !/^[{[(][^{}[\]()]*[}\])]$/.test(type) ? `(${type})` : type;
}

function arrayOf(writer: Writer, schema: JsonSchema): string {
  if (Array.isArray(schema.prefixItems)) return `[${schema.prefixItems.map((item) => write(writer, item)).join(', ')}]`;
  return `${bracketed(write(writer, schema.items))}[]`;
}

function objectOf(writer: Writer, schema: JsonSchema): string {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, unknown>);
  const others = schema.additionalProperties;
  if (properties.length === 0) return others === false ? 'Record<string, never>' : `Record<string, ${write(writer, others ?? true)}>`;
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const { comments, indent } = writer.style;
  const inner: Writer = { ...writer, style: { comments, indent: `${indent}  ` } };
  const fields = properties.map(([key, field]) => fieldOf(inner, key, field, required.has(key)));
  if (others !== false && others !== undefined) fields.push(comments ? `${indent}  [key: string]: unknown;\n` : '[key: string]: unknown');
  return comments ? `{\n${fields.join('')}${indent}}` : `{ ${fields.join('; ')} }`;
}

function fieldOf(writer: Writer, key: string, schema: unknown, required: boolean): string {
  const { comments, indent } = writer.style;
  const field = `${propertyName(key)}${required ? '' : '?'}: ${write(writer, schema)}`;
  return comments ? `${comment(meaningOf(schema), indent)}${indent}${field};\n` : field;
}

function meaningOf(schema: unknown): string | undefined {
  if (!isSchema(schema)) return undefined;
  const parts = [typeof schema.description === 'string' ? schema.description : ''];
  if (schema.default !== undefined && schema.default !== '') parts.push(`default ${JSON.stringify(schema.default)}`);
  return parts.filter(Boolean).join('; ');
}
