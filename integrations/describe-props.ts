import { isSecretName } from '../domain/redaction/is-secret-name.ts';
import type { Action, AuthMethod, DynamicProp, PropOption } from './definition.ts';
import { isPublicField, type JsonSchema } from './schema/value-schema.ts';

/** The kinds of form fields for inputs (contract decisions 2, Catalogue). */
export const PROP_TYPES = [
  'SHORT_TEXT',
  'LONG_TEXT',
  'NUMBER',
  'CHECKBOX',
  'DROPDOWN',
  'STATIC_DROPDOWN',
  'MULTI_SELECT_DROPDOWN',
  'STATIC_MULTI_SELECT_DROPDOWN',
  'DYNAMIC',
  'ARRAY',
  'OBJECT',
  'JSON',
  'FILE',
  'DATE_TIME',
] as const;
export type PropType = (typeof PROP_TYPES)[number];

/** One input of an action, as a form shows it. */
export interface Prop {
  type: PropType;
  displayName: string;
  description: string;
  required: boolean;
  defaultValue?: unknown;
  /** When one of these inputs changes, a form loads the choices or fields of this input again. */
  refreshers: string[];
  options?: { options: PropOption[] };
  /** Set if a form must hide the typed text. */
  secret?: true;
}

/** The form fields of an action's inputs, by name. */
export function describeProps(schema: JsonSchema, dynamic: Action['dynamic'] = {}): Record<string, Prop> {
  const required = (schema.required ?? []) as string[];
  const entries = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  return Object.fromEntries(
    entries.map(([name, property]) => [name, describeProp(name, property, { required: required.includes(name), dynamic: dynamic[name] })]),
  );
}

/** The form fields of an auth method, by name. */
export function describeAuthProps({ props }: Pick<AuthMethod, 'props'>): Record<string, Prop> {
  if (!props) return {};
  const described = Object.entries(describeProps(props.json));
  const isSecret = (name: string) => isSecretName(name) && !isPublicField(props, name);
  return Object.fromEntries(described.map(([name, prop]) => [name, { ...prop, ...(isSecret(name) && { secret: true }) }]));
}

/** The choices that a schema lists, if it lists any. */
export function staticOptions(schema: JsonSchema): PropOption[] | undefined {
  const plain = withoutNull(schema);
  const values = valuesOf(plain) ?? valuesOf((plain.items ?? {}) as JsonSchema);
  return values?.map((value) => ({ label: String(value), value }));
}

function describeProp(
  name: string,
  schema: JsonSchema,
  { required, dynamic }: { required: boolean; dynamic: DynamicProp | undefined },
): Prop {
  const type = dynamic ? dynamicType(dynamic, schema) : staticType(withoutNull(schema), name);
  const options = dynamic ? undefined : staticOptions(schema);
  return {
    type,
    displayName: String(schema.title ?? toTitle(name)),
    description: String(schema.description ?? ''),
    required,
    ...('default' in schema && { defaultValue: schema.default }),
    refreshers: [...(dynamic?.refreshers ?? [])],
    ...(options && { options: { options } }),
  };
}

function dynamicType(dynamic: DynamicProp, schema: JsonSchema): PropType {
  if (dynamic.fields) return 'DYNAMIC';
  return withoutNull(schema).type === 'array' ? 'MULTI_SELECT_DROPDOWN' : 'DROPDOWN';
}

/** A text with a higher limit gets a large field, unless `ONE_LINE` matches its name. */
const SHORT_TEXT_MAX_LENGTH = 1024;
const ONE_LINE = /(?:^|_)(?:url|uri|cursor|path|key)$|Url$|Uri$/;
const DATE_FORMATS = ['date-time', 'date'];

function staticType(schema: JsonSchema, name: string): PropType {
  const said = schema['x-prop-type'];
  if (PROP_TYPES.some((type) => type === said)) return said as PropType;
  if (valuesOf(schema)) return 'STATIC_DROPDOWN';
  switch (schema.type) {
    case 'string':
      if (DATE_FORMATS.includes(schema.format as string)) return 'DATE_TIME';
      if (schema.contentEncoding === 'base64') return 'FILE';
      return Number(schema.maxLength ?? 0) > SHORT_TEXT_MAX_LENGTH && !ONE_LINE.test(name) ? 'LONG_TEXT' : 'SHORT_TEXT';
    case 'number':
    case 'integer':
      return 'NUMBER';
    case 'boolean':
      return 'CHECKBOX';
    case 'array':
      return valuesOf((schema.items ?? {}) as JsonSchema) ? 'STATIC_MULTI_SELECT_DROPDOWN' : 'ARRAY';
    case 'object':
      return 'OBJECT';
    default:
      return 'JSON';
  }
}

function valuesOf(schema: JsonSchema): unknown[] | undefined {
  if (Array.isArray(schema.enum)) return schema.enum;
  if ('const' in schema) return [schema.const];
  const forms = schema.anyOf as JsonSchema[] | undefined;
  return forms?.every((form) => 'const' in form) ? forms.map((form) => form.const) : undefined;
}

/** A nullable value gets the field of its other type. */
function withoutNull(schema: JsonSchema): JsonSchema {
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter((type) => type !== 'null');
    return types.length === 1 ? { ...schema, type: types[0] } : schema;
  }
  const forms = (schema.anyOf as JsonSchema[] | undefined)?.filter(({ type }) => type !== 'null') ?? [];
  if (forms.length === 1) return { ...schema, ...forms[0] };
  const types = new Set(forms.map(({ type }) => type));
  return types.size === 1 ? { ...schema, anyOf: forms, type: forms[0]!.type } : schema;
}

function toTitle(name: string): string {
  const words = name.replaceAll('_', ' ').replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
