import { z } from 'zod';
import { isSecretName } from '../../../../domain/redaction/is-secret-name.ts';
import { isRecord } from '../../../../domain/unknown-values.ts';
import type { PropOption } from '../../../../integrations/definition.ts';
import type { Prop } from '../../../../integrations/describe-props.ts';
import type { Field } from '../form.ts';
import { readJsonText } from '../json-text.ts';

/** Choices that a third party offers for inputs, by the name of the input. */
export type Choices = Readonly<Record<string, readonly PropOption[]>>;

/** Inputs of an action by name, in the order of the action. */
export type Props = Readonly<Record<string, Prop>>;

/** Other fields of the form have no such prefix. */
const PREFIX = 'input.';
/** The name of the form field of an input. */
export const fieldName = (key: string): string => PREFIX + key;

/** One JSON field for all inputs, instead of one field for each. */
export const WHOLE: Field = {
  ...{ name: 'whole', label: 'Input (JSON)', kind: 'textarea', isOptional: true },
  hint: 'All inputs as one JSON object.',
};

/** One field for each input. `given` holds values from the URL, which fill in the fields. */
export function inputFields(props: Props, choices: Choices, given: URLSearchParams): Field[] {
  return Object.entries(props).map(([key, prop]) => {
    const choosable = optionsOf(key, prop, choices);
    const sent = given.getAll(fieldName(key));
    return {
      ...{ name: fieldName(key), label: prop.displayName, hint: hintOf(prop), isOptional: !prop.required },
      ...shapeOf(key, prop, choosable),
      ...(sent.length > 0 ? { value: sent } : prop.type === 'CHECKBOX' && prop.defaultValue === true ? { value: 'yes' } : {}),
    };
  });
}

function optionsOf(key: string, prop: Prop, choices: Choices): readonly PropOption[] {
  return prop.options?.options ?? (Object.hasOwn(choices, key) ? choices[key]! : []);
}

/** Whether the choices of an input come from the third party. */
export function isDynamic({ type }: Prop): boolean {
  return type === 'DROPDOWN' || type === 'MULTI_SELECT_DROPDOWN';
}

const MANY: readonly Prop['type'][] = ['MULTI_SELECT_DROPDOWN', 'STATIC_MULTI_SELECT_DROPDOWN'];
const JSON_TYPES: readonly Prop['type'][] = ['OBJECT', 'JSON', 'ARRAY', 'DYNAMIC'];

/** Maximum number of choices of a field. The JSON field accepts other values too. */
const MAX_CHOICES = 500;

function shapeOf(key: string, prop: Prop, choosable: readonly PropOption[]): Pick<Field, 'kind' | 'options'> {
  const options = choosable.slice(0, MAX_CHOICES).map(({ label, value }) => ({ value: String(value), label }));
  if (options.length > 0)
    return MANY.includes(prop.type) ? { kind: 'checks', options } : { kind: 'select', options: [blank(prop), ...options] };
  if (isJson(prop)) return { kind: 'textarea' };
  if (prop.type === 'CHECKBOX') return { kind: 'check' };
  if (prop.type === 'LONG_TEXT' || prop.type === 'FILE') return { kind: 'textarea' };
  return { kind: isSecretName(key) ? 'password' : 'text' };
}

function isJson({ type }: Prop): boolean {
  return JSON_TYPES.includes(type) || MANY.includes(type);
}

function blank({ required, defaultValue }: Prop) {
  const unset = required ? 'Choose' : 'Not set';
  return { value: '', label: defaultValue === undefined ? unset : `Default: ${String(defaultValue)}` };
}

const HINTS: Partial<Record<Prop['type'], string>> = {
  ...{ ARRAY: 'A JSON list.', MULTI_SELECT_DROPDOWN: 'A JSON list.', OBJECT: 'A JSON object.', DYNAMIC: 'A JSON object.', JSON: 'JSON.' },
  ...{ FILE: 'In base64.', DATE_TIME: 'Such as 2030-01-31T09:00:00Z.' },
};

function hintOf(prop: Prop): string | undefined {
  const { type, description, defaultValue, options } = prop;
  const isTyped = !options && type !== 'CHECKBOX' && defaultValue !== undefined && typeof defaultValue !== 'object';
  const said = [description, HINTS[type], isTyped && `Default: ${String(defaultValue)}.`].filter(
    (part) => typeof part === 'string' && part !== '',
  );
  return said.length === 0 ? undefined : said.map((part) => asSentence(part as string)).join(' ');
}

function asSentence(text: string): string {
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}

/** `problems` maps names of fields to predicates: `must be a number`. */
export interface ReadInput {
  input: Record<string, unknown>;
  problems: Record<string, string>;
}

/** Reads the fields of a form. Leaves out empty fields, so that presets and defaults apply. */
export async function readInput(props: Props, choices: Choices, form: URLSearchParams): Promise<ReadInput> {
  const entries: [string, unknown][] = [];
  const problems: Record<string, string> = {};
  for (const [key, prop] of Object.entries(props)) {
    try {
      const value = await readField(prop, optionsOf(key, prop, choices), form.getAll(fieldName(key)));
      if (value !== undefined) entries.push([key, value]);
    } catch (error) {
      problems[fieldName(key)] = problemOf(error);
    }
  }
  return { input: Object.fromEntries(entries), problems };
}

/** Reads the input from the JSON field `WHOLE`. */
export async function readWhole(form: URLSearchParams): Promise<ReadInput> {
  try {
    const value = await readJson(form.get(WHOLE.name) || '{}');
    if (!isRecord(value)) throw new FieldError('must be a JSON object');
    return { input: value, problems: {} };
  } catch (error) {
    return { input: {}, problems: { [WHOLE.name]: problemOf(error) } };
  }
}

async function readField(prop: Prop, choosable: readonly PropOption[], sent: string[]): Promise<unknown> {
  if (prop.type === 'CHECKBOX') return readCheck(prop, sent.length > 0);
  const chosen = (text: string) => choosable.find(({ value }) => String(value) === text)?.value ?? text;
  if (choosable.length > 0 && MANY.includes(prop.type)) return sent.length > 0 ? sent.map(chosen) : undefined;
  const [text = ''] = sent;
  if (text === '') return undefined;
  if (choosable.length > 0) return chosen(text);
  if (isJson(prop)) return readJson(text);
  if (prop.type === 'NUMBER') return readNumber(text);
  return prop.type === 'LONG_TEXT' ? text.replaceAll('\r\n', '\n') : text;
}

/** Undefined for the default of an optional input, so that presets apply. */
function readCheck({ required, defaultValue }: Prop, isChecked: boolean): boolean | undefined {
  if (isChecked === (defaultValue ?? false)) return required ? isChecked : undefined;
  return isChecked;
}

function readNumber(text: string): number {
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text.trim())) throw new FieldError('must be a number');
  return Number(text);
}

async function readJson(text: string): Promise<unknown> {
  const read = await readJsonText(text);
  if (!read.ok) throw new FieldError(read.problem);
  return read.value;
}

/** The message is a predicate: `must be a number`. */
class FieldError extends Error {
  override name = 'FieldError';
}

function problemOf(error: unknown): string {
  if (error instanceof FieldError) return error.message;
  throw error;
}

const keptChoices = z.record(z.string(), z.array(z.strictObject({ label: z.string(), value: z.unknown() })).max(MAX_CHOICES));

/** Reads the choices that an earlier page loaded. Ignores invalid choices. */
export function readChoices(form: URLSearchParams): Choices {
  try {
    return keptChoices.parse(JSON.parse(form.get('choices') ?? '{}'));
  } catch {
    return {};
  }
}

/** The value of the hidden field that `readChoices` reads. */
export function writeChoices(choices: Choices): string {
  const kept = Object.entries(choices).map(([key, options]) => [
    key,
    options.slice(0, MAX_CHOICES).map(({ label, value }) => ({ label, value })),
  ]);
  return JSON.stringify(Object.fromEntries(kept));
}
