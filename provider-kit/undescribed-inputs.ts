import type { JsonSchema } from '../integrations/schema/value-schema.ts';

/** Returns the paths of inputs that have no description, also of nested fields. */
export function undescribedInputs(root: JsonSchema, path: string): string[] {
  const definitions = (root.$defs ?? {}) as Record<string, JsonSchema>;
  const within = (value: unknown, at: string, followed: readonly string[]): string[] => {
    if (Array.isArray(value)) return value.flatMap((one) => within(one, at, followed));
    if (typeof value !== 'object' || value === null) return [];
    const { properties = {}, items, additionalProperties, anyOf, oneOf, allOf, $ref } = value as JsonSchema & { $ref?: string };
    const target = $ref === undefined || followed.includes($ref) ? undefined : definitions[$ref.replace('#/$defs/', '')];
    return [
      ...Object.entries(properties as Record<string, JsonSchema>).flatMap(([key, schema]) => [
        ...(isDescribed(schema) ? [] : [`${at}.${key}`]),
        ...within(schema, `${at}.${key}`, followed),
      ]),
      ...[items, additionalProperties, anyOf, oneOf, allOf].flatMap((part) => within(part, `${at}[]`, followed)),
      ...within(target, at, [...followed, $ref ?? '']),
    ];
  };
  const isDescribed = ({ description, $ref }: JsonSchema & { description?: string; $ref?: string }): boolean => {
    const said = description ?? (definitions[$ref?.replace('#/$defs/', '') ?? ''] as { description?: string } | undefined)?.description;
    return said !== undefined && said.length > 2;
  };
  return within(root, path, []);
}
