import type { Credentials } from '../../../commands/connections/connection-credentials.ts';
import type { Issue } from '../../../domain/bound-error.ts';
import type { GatewayError } from '../../../domain/errors.ts';
import { findInexactIntegers } from '../../../domain/inexact-integers.ts';
import type { AuthMethod } from '../../../integrations/definition.ts';
import { type AuthField, authFields } from './auth-fields.ts';

/** Problems of the input by field name. The name '' stands for the whole form. */
export type Problems = Record<string, string>;

/**
 * Reads credentials from a form. Returns `problems` if a value is missing, or has a number that
 * cannot be stored exactly.
 */
export function readCredentials(method: AuthMethod, form: URLSearchParams): { credentials: Credentials } | { problems: Problems } {
  const read = readFields(method, form);
  return 'problems' in read ? read : { credentials: toCredentials(method, read.values) };
}

/** Like `readCredentials`, for the fields before consent. */
export function readConsentProps(method: AuthMethod, form: URLSearchParams): { props: Record<string, unknown> } | { problems: Problems } {
  const read = readFields(method, form);
  return 'problems' in read ? read : { props: filledIn(method, read.values) };
}

function readFields(method: AuthMethod, form: URLSearchParams): { values: Record<string, unknown> } | { problems: Problems } {
  const fields = authFields(method);
  const values = Object.fromEntries(fields.map((field) => [field.name, readValue(field, form.get(fieldName(field.name)) ?? '')]));
  const missing = fields.filter(({ name, required }) => required && values[name] === undefined);
  const problems: Problems = {
    ...Object.fromEntries(missing.map(({ name }) => [name, 'is needed'])),
    ...Object.fromEntries(fields.flatMap((field) => lostIntegersOf(field, form.get(fieldName(field.name)) ?? ''))),
  };
  return Object.keys(problems).length > 0 ? { problems } : { values };
}

/** The issues of a validation error, by field name. */
export function problemsOf(error: GatewayError): Problems {
  const issues = (error.details?.issues ?? []) as Issue[];
  return Object.fromEntries(issues.map(({ path, message }) => [path.replace(/^props\.?/, '').split('.')[0], message]));
}

/** The prefix keeps the name apart from the page's own fields. */
export function fieldName(name: string): string {
  return `field.${name}`;
}

/** A text that cannot be parsed stays a text: the schema of the auth method reports it later. */
function readValue({ control, options, isVerbatim }: AuthField, typed: string): unknown {
  if (control === 'checkbox') return typed !== '';
  const text = isVerbatim ? typed : typed.trim();
  if (text === '') return undefined;
  if (control === 'select') return options.find(({ value }) => String(value) === text)?.value ?? text;
  if (control === 'number') return Number.isNaN(Number(text)) ? text : Number(text);
  return control === 'json' ? parseJson(text) : text;
}

function lostIntegersOf({ name, control }: AuthField, typed: string): [string, string][] {
  if (control !== 'number' && control !== 'json') return [];
  const value = parseJson(typed);
  return typeof value === 'string' ? [] : findInexactIntegers(typed, value).map(({ message }) => [name, message]);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function filledIn({ props }: AuthMethod, values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== undefined && props?.keys.includes(name)));
}

function toCredentials(method: AuthMethod, values: Record<string, unknown>): Credentials {
  const { type } = method;
  const props = filledIn(method, values);
  switch (type) {
    case 'SECRET_TEXT':
      return { type, secretText: String(values.secretText) };
    case 'BASIC_AUTH':
      return { type, username: String(values.username), password: String(values.password ?? ''), ...(method.props && { props }) };
    default:
      return { type: 'CUSTOM_AUTH', props };
  }
}
