import { z } from 'zod';
import { type Parsed, parseOrExplain } from '../parse-or-explain.ts';

export type JsonSchema = Record<string, unknown>;

/** A schema that parses values, written in code or as JSON Schema. */
export interface ValueSchema<Value = unknown> {
  /** JSON Schema 2020-12 of the accepted values. */
  readonly json: JsonSchema;
  /** The keyword `$schema` of the schema. */
  readonly dialect?: string;
  /** The value with defaults, or its problems in plain words. No problem lists a hidden key. */
  parse(value: unknown, hiddenKeys?: readonly string[]): Parsed<Value>;
}

/** A schema of objects whose fields can be parsed one by one. */
export interface ObjectSchema<Value = Record<string, unknown>> extends ValueSchema<Value> {
  readonly keys: readonly string[];
  parseField(name: string, value: unknown): Parsed<unknown>;
}

/** A schema written in code. */
export function codeSchema<Schema extends z.ZodType>(schema: Schema, io: 'input' | 'output'): ValueSchema<z.output<Schema>> {
  let json: JsonSchema | undefined;
  return {
    get json() {
      json ??= z.toJSONSchema(schema, { io, unrepresentable: 'any' });
      return json;
    },
    parse: (value, hiddenKeys) => parseOrExplain(schema, value, hiddenKeys),
  };
}

/** An object schema written in code. Unknown keys are refused. */
export function codeObjectSchema<Schema extends z.ZodObject>(schema: Schema): ObjectSchema<z.output<Schema>> {
  const strict = schema.strict() as unknown as Schema;
  const whole = codeSchema(strict, 'input');
  return {
    get json() {
      return whole.json;
    },
    parse: whole.parse,
    keys: Object.keys(schema.shape),
    parseField: (name, value) =>
      Object.hasOwn(schema.shape, name) ? parseOrExplain(schema.shape[name] as z.ZodType, value) : unknownField(name),
  };
}

/** The result for an unknown field. */
export function unknownField(name: string): Parsed<never> {
  return { ok: false, issues: [{ path: '', message: `there is no field "${name}"` }] };
}

/** Whether a field's value may be shown: its schema says `public: true`. */
export function isPublicField({ json }: Pick<ValueSchema, 'json'>, name: string): boolean {
  const properties = (json.properties ?? {}) as Record<string, JsonSchema>;
  return Object.hasOwn(properties, name) && properties[name]?.public === true;
}
