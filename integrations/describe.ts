import type { CatalogAction, CatalogIntegration, JsonSchema } from './catalog.ts';

/** What kind of field asks for an input (decisions section 2, catalogue). */
export type PropType =
  | 'SHORT_TEXT'
  | 'LONG_TEXT'
  | 'NUMBER'
  | 'CHECKBOX'
  | 'DROPDOWN'
  | 'STATIC_DROPDOWN'
  | 'MULTI_SELECT_DROPDOWN'
  | 'STATIC_MULTI_SELECT_DROPDOWN'
  | 'DYNAMIC'
  | 'ARRAY'
  | 'OBJECT'
  | 'JSON'
  | 'FILE'
  | 'DATE_TIME';

export interface Prop {
  type: PropType;
  displayName: string;
  description: string;
  required: boolean;
  defaultValue?: unknown;
  refreshers: string[];
  options?: { options: { label: string; value: unknown }[] };
}

/** A catalogue entry as callers see it, with its actions. */
export function describeIntegration(integration: CatalogIntegration) {
  return {
    ...describeIdentity(integration),
    actions: Object.fromEntries([...integration.actions].map(([name, action]) => [name, describeAction(action)])),
    triggers: {},
  };
}

/** The same with the number of actions instead of the actions. */
export function summarizeIntegration(integration: CatalogIntegration) {
  return { ...describeIdentity(integration), actionCount: integration.actions.size, triggerCount: 0 };
}

function describeIdentity({ name, displayName, description, logoUrl, categories, auth }: CatalogIntegration) {
  return {
    ...{ name, displayName, description, logoUrl, categories },
    auth: auth && { type: [...new Set(auth.map(({ type }) => type))] },
    authOptions: (auth ?? []).map(({ key, type, displayName, description }) => ({ key, type, displayName, description })),
  };
}

function describeAction({ name, displayName, description, category, inputSchema, outputSchema }: CatalogAction) {
  return { name, displayName, description, category, props: describeProps(inputSchema), inputSchema, outputSchema };
}

function describeProps(schema: JsonSchema): Record<string, Prop> {
  const required = (schema.required ?? []) as string[];
  const properties = (schema.properties ?? {}) as Record<string, JsonSchema>;
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, describeProp(name, property, required.includes(name))]),
  );
}

function describeProp(name: string, schema: JsonSchema, required: boolean): Prop {
  const values = (schema.enum ?? (schema.items as JsonSchema | undefined)?.enum) as unknown[] | undefined;
  return {
    type: propTypeOf(schema),
    displayName: toTitle(name),
    description: String(schema.description ?? ''),
    required,
    ...('default' in schema && { defaultValue: schema.default }),
    refreshers: [],
    ...(values && { options: { options: values.map((value) => ({ label: String(value), value })) } }),
  };
}

/** A text longer than this is written in a large field. */
const SHORT_TEXT_MAX_LENGTH = 1024;

function propTypeOf(schema: JsonSchema): PropType {
  if (schema.enum) return 'STATIC_DROPDOWN';
  switch (schema.type) {
    case 'string':
      return schema.format === 'date-time'
        ? 'DATE_TIME'
        : Number(schema.maxLength ?? 0) > SHORT_TEXT_MAX_LENGTH
          ? 'LONG_TEXT'
          : 'SHORT_TEXT';
    case 'number':
    case 'integer':
      return 'NUMBER';
    case 'boolean':
      return 'CHECKBOX';
    case 'array':
      return (schema.items as JsonSchema | undefined)?.enum ? 'STATIC_MULTI_SELECT_DROPDOWN' : 'ARRAY';
    case 'object':
      return 'OBJECT';
    default:
      return 'JSON';
  }
}

/** `dateString`, `body_type` → `Date string`, `Body type`. */
function toTitle(name: string): string {
  const words = name.replaceAll('_', ' ').replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
