/** A JSON Schema of the OpenAPI document. */
export type Schema = Record<string, unknown>;

/** A field of a body, a record or a parameter, in words. */
export interface FieldRow {
  /** Nested fields have a dotted path. */
  name: string;
  type: string;
  /** The name of the record that describes the field. */
  recordName: string | undefined;
  required: boolean;
  description: string;
}

const MAX_DEPTH = 3;

/**
 * The fields of an object schema. Nested fields follow their parent. A field that is one of the
 * records in `names` has `recordName` instead of nested fields.
 */
export function describeFields(document: Schema, schema: Schema, names: ReadonlySet<string>): FieldRow[] {
  const rowsOf = (given: Schema, prefix: string, depth: number): FieldRow[] => {
    const forms = objectForms(document, given);
    return mergeForms(forms.map((form) => formRows(form, prefix, depth)));
  };
  const formRows = (form: Schema, prefix: string, depth: number): FieldRow[] => {
    const required = (form.required ?? []) as string[];
    return Object.entries((form.properties ?? {}) as Record<string, Schema>).flatMap(([key, property]) => {
      const recordName = recordOf(property, names);
      const row = {
        name: prefix + key,
        type: typeOf(document, property),
        recordName,
        required: required.includes(key),
        description: String(property.description ?? ''),
      };
      if (recordName || depth >= MAX_DEPTH) return [row];
      const { schema: inner, suffix } = inside(document, property);
      return [row, ...rowsOf(inner, `${prefix}${key}${suffix}.`, depth + 1)];
    });
  };
  return rowsOf(schema, '', 1);
}

function objectForms(document: Schema, given: Schema): Schema[] {
  const node = plain(document, given);
  const forms = (node.oneOf ?? node.anyOf) as Schema[] | undefined;
  return forms ? forms.flatMap((form) => objectForms(document, form)) : node.type === 'object' ? [node] : [];
}

function mergeForms(forms: FieldRow[][]): FieldRow[] {
  const merged = new Map<string, FieldRow[]>();
  for (const row of forms.flat()) merged.set(row.name, [...(merged.get(row.name) ?? []), row]);
  return [...merged.values()].map((rows) => ({
    ...rows[0]!,
    type: [...new Set(rows.map(({ type }) => type))].join(' or '),
    required: rows.length === forms.length && rows.every(({ required }) => required),
  }));
}

/** A type in words: `text, at most 64 characters`, `one of a, b`, `list of uuid`. */
export function typeOf(document: Schema, given: Schema): string {
  const node = plain(document, given);
  if (Array.isArray(node.enum)) return `one of ${node.enum.join(', ')}`;
  if ('const' in node) return JSON.stringify(node.const);
  const forms = (node.anyOf ?? node.oneOf) as Schema[] | undefined;
  if (forms) return [...new Set(forms.map((form) => typeOf(document, form)))].join(' or ');
  const fallback = node.default !== undefined ? `; default ${JSON.stringify(node.default)}` : '';
  return `${words(document, node)}${fallback}`;
}

function words(document: Schema, node: Schema): string {
  if (Array.isArray(node.type)) return node.type.map((type) => words(document, { ...node, type })).join(' or ');
  switch (node.type) {
    case 'string':
      return `${FORMATS[node.format as string] ?? node.format ?? 'text'}${bounds(node.minLength, node.maxLength, ' characters')}`;
    case 'integer':
      return `integer${bounds(node.minimum, node.maximum)}`;
    case 'number':
      return `number${bounds(node.minimum, node.maximum)}`;
    case 'boolean':
      return 'true or false';
    case 'array':
      return `list of ${node.items && Object.keys(node.items).length > 0 ? typeOf(document, node.items as Schema) : 'any JSON values'}`;
    case 'object':
      return 'object';
    case 'null':
      return 'null';
    default:
      return 'any JSON value';
  }
}

const FORMATS: Record<string, string> = { 'date-time': 'timestamp', uri: 'URL', email: 'e-mail address' };

function bounds(min: unknown, max: unknown, unit = ''): string {
  if (min !== undefined && max !== undefined) return `, ${min} to ${max}${unit}`;
  if (max !== undefined) return `, at most ${max}${unit}`;
  return min !== undefined && min !== 0 && min !== 1 ? `, at least ${min}${unit}` : '';
}

function plain(document: Schema, node: Schema): Schema {
  if (typeof node.$ref !== 'string') return node;
  const target = node.$ref
    .slice(2)
    .split('/')
    .reduce<Schema>((found, key) => found[key] as Schema, document);
  return plain(document, target);
}

function inside(document: Schema, given: Schema): { schema: Schema; suffix: string } {
  const node = plain(document, given);
  const forms = ((node.anyOf as Schema[] | undefined) ?? [node]).map((form) => plain(document, form));
  const list = forms.find(({ type, items }) => type === 'array' && items !== undefined);
  return list ? { schema: list.items as Schema, suffix: '[]' } : { schema: node, suffix: '' };
}

function recordOf(node: Schema, names: ReadonlySet<string>): string | undefined {
  const forms = [node, node.items, ...((node.anyOf as Schema[] | undefined) ?? [])] as (Schema | undefined)[];
  const found = forms.map((form) => String(form?.$ref ?? '').replace('#/components/schemas/', '')).find((name) => names.has(name));
  return found;
}
