import type { JsonSchema } from '../../integrations/catalog.ts';

/** Objects with fewer fields are declared inline. */
const MIN_FIELDS = 3;

/**
 * Names for the types of objects that occur several times in outputs. The keys are the schemas as
 * JSON. Declaring such a type only once saves an agent many tokens.
 */
export function sharedTypes(prefix: string, outputs: readonly { name: string; schema: JsonSchema }[]): Map<string, string> {
  const hints = new Map<string, string[]>();
  for (const { name, schema } of outputs) collect(hints, name, schema);
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const [json, found] of hints) {
    if (found.length < 2) continue;
    const usual =
      prefix +
      typeName(
        found
          .toSorted((a, b) => a.length - b.length)[0]!
          .replace(/ies$/, 'y')
          .replace(/s$/, ''),
      );
    const name = taken.has(usual) ? `${usual}${taken.size + 1}` : usual;
    taken.add(name);
    names.set(json, name);
  }
  return names;
}

/** Converts a name to a type name: `create_issue` becomes `CreateIssue`. */
export function typeName(text: string): string {
  return text.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9]?)/g, (_, first: string) => first.toUpperCase()).replace(/^\d/, '_$&');
}

function collect(hints: Map<string, string[]>, hint: string, schema: unknown): void {
  if (schema === null || typeof schema !== 'object') return;
  const { properties, items, anyOf, oneOf, allOf, $ref } = schema as JsonSchema;
  if ($ref !== undefined) return;
  const fields = properties !== null && typeof properties === 'object' ? Object.entries(properties) : [];
  if (fields.length >= MIN_FIELDS) {
    const json = JSON.stringify(schema);
    // A $ref means something else outside of its schema.
    if (!json.includes('"$ref"')) hints.set(json, [...(hints.get(json) ?? []), hint]);
  }
  for (const [key, field] of fields) collect(hints, key, field);
  for (const part of [items, anyOf, oneOf, allOf].flat()) collect(hints, hint, part);
}
