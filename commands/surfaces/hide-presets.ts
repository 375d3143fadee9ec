import type { JsonSchema } from '../../integrations/catalog.ts';

/**
 * Removes preset keys from an input schema (contract decisions 2, Partials). `hiddenKeys`: the
 * removed keys.
 */
export function hidePresets(schema: JsonSchema, presetKeys: readonly string[]): { inputSchema: JsonSchema; hiddenKeys: string[] } {
  const {
    $schema,
    properties = {},
    required = [],
    ...rest
  } = schema as JsonSchema & { properties?: Record<string, unknown>; required?: string[] };
  const hidden = new Set(presetKeys.filter((key) => Object.hasOwn(properties, key)));
  const shown = Object.fromEntries(Object.entries(properties).filter(([key]) => !hidden.has(key)));
  const needed = required.filter((key) => !hidden.has(key));
  return { inputSchema: { ...rest, properties: shown, ...(needed.length > 0 && { required: needed }) }, hiddenKeys: [...hidden] };
}
