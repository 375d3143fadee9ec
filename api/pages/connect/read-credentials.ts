import type { Credentials } from '../../../commands/connections/connection-credentials.ts';
import type { Issue } from '../../../domain/bound-error.ts';
import type { GatewayError } from '../../../domain/errors.ts';
import { findInexactIntegers } from '../../../domain/inexact-integers.ts';
import type { AuthMethod } from '../../../integrations/definition.ts';
import { type AuthField, authFields } from './auth-fields.ts';

/** Problems of the input by field name; '' for a problem of the whole form. */
export type Problems = Record<string, string>;

/** Reads submitted credentials; `problems` if any is missing. The method's schema checks them. */
export function readCredentials(method: AuthMethod, form: URLSearchParams): { credentials: Credentials } | { problems: Problems } {
  const read = readFields(method, form);
  return 'problems' in read ? read : { credentials: toCredentials(method, read.values) };
}

/** Reads the fields of the form before consent; returns `problems` if one is missing. */
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

/** The issues of a command's validation error, by field name. */
export function problemsOf(error: GatewayError): Problems {
  const issues = (error.details?.issues ?? []) as Issue[];
  return Object.fromEntries(issues.map(({ path, message }) => [path.replace(/^props\.?/, '').split('.')[0], message]));
}

/** The form name of a field; the prefix keeps it apart from the page's own fields. */
export function fieldName(name: string): string {
  return `field.${name}`;
}

/**
 * Reads a field as its type. Empty text means absent.
 * Text that does not parse stays as it is, and the method's schema reports it.
 */
function readValue({ control, options, isVerbatim }: AuthField, typed: string): unknown {
  if (control === 'checkbox') return typed !== '';
  const text = isVerbatim ? typed : typed.trim();
  if (text === '') return undefined;
  if (control === 'select') return options.find(({ value }) => String(value) === text)?.value ?? text;
  if (control === 'number') return Number.isNaN(Number(text)) ? text : Number(text);
  return control === 'json' ? parseJson(text) : text;
}

/** Integers that parsing changes, as problems by field name. */
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

/** The values of a method's props. */
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
