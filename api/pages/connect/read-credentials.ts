import type { Credentials } from '../../../commands/connection-credentials.ts';
import type { GatewayError, Issue } from '../../../domain/errors.ts';
import type { AuthMethod } from '../../../integrations/definition.ts';
import { type AuthField, authFields } from './auth-fields.ts';

/** What is wrong with what was entered, by field; '' for what concerns none. */
export type Problems = Record<string, string>;

/** What somebody entered, not yet held against the method's own schema; `problems` where something is missing. */
export function readCredentials(method: AuthMethod, form: URLSearchParams): { credentials: Credentials } | { problems: Problems } {
  const fields = authFields(method);
  const values = Object.fromEntries(fields.map((field) => [field.name, readValue(field, form.get(fieldName(field.name)) ?? '')]));
  const missing = fields.filter(({ name, required }) => required && values[name] === undefined);
  if (missing.length > 0) return { problems: Object.fromEntries(missing.map(({ name }) => [name, 'is needed'])) };
  return { credentials: toCredentials(method, values) };
}

/** What the command said about an input, by field. */
export function problemsOf(error: GatewayError): Problems {
  const issues = (error.details?.issues ?? []) as Issue[];
  return Object.fromEntries(issues.map(({ path, message }) => [path.replace(/^props\.?/, '').split('.')[0], message]));
}

/** The name of a field in the form, apart from those of the page itself. */
export function fieldName(name: string): string {
  return `field.${name}`;
}

/** Empty is absent. What does not read as its kind stays as it was typed, and the method's schema says what is wrong with it. */
function readValue({ control, options, isVerbatim }: AuthField, typed: string): unknown {
  if (control === 'checkbox') return typed !== '';
  const text = isVerbatim ? typed : typed.trim();
  if (text === '') return undefined;
  if (control === 'select') return options.find(({ value }) => String(value) === text)?.value ?? text;
  if (control === 'number') return Number.isNaN(Number(text)) ? text : Number(text);
  return control === 'json' ? parseJson(text) : text;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function toCredentials({ type }: AuthMethod, values: Record<string, unknown>): Credentials {
  switch (type) {
    case 'SECRET_TEXT':
      return { type, secretText: String(values.secretText) };
    case 'BASIC_AUTH':
      return { type, username: String(values.username), password: String(values.password ?? '') };
    default:
      return { type: 'CUSTOM_AUTH', props: Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) };
  }
}
