import { z } from 'zod';
import type { Issue } from '../domain/errors.ts';

export type Parsed<Value> = { ok: true; value: Value } | { ok: false; issues: Issue[] };

/**
 * A value as its schema reads it, or every problem at once in plain words: each names the missing key, the unknown key with the possible
 * ones, or what is expected. `hiddenKeys` of the value itself are never named as possible.
 */
export function parseOrExplain<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  hiddenKeys: readonly string[] = [],
): Parsed<z.output<Schema>> {
  const undecided: Undecided = new WeakMap();
  const error = (issue: RawIssue) => {
    if (isUndecided(issue)) undecided.set(issue.path!, issue);
    return explain(issue, issue.inst === schema ? hiddenKeys : []);
  };
  const parsed = schema.safeParse(value, { error });
  if (parsed.success) return { ok: true, value: parsed.data };
  return { ok: false, issues: parsed.error.issues.flatMap((issue) => toIssues(issue, undecided)) };
}

type RawIssue = z.core.$ZodRawIssue;

/** Unions whose discriminator fits no option, by the path of their issue, which is the same array before and after. */
type Undecided = WeakMap<PropertyKey[], RawIssue>;

function isUndecided(issue: RawIssue): boolean {
  return issue.code === 'invalid_union' && typeof issue.discriminator === 'string' && issue.path !== undefined;
}

function explain(issue: RawIssue, hiddenKeys: readonly string[]): string | undefined {
  if (issue.code === 'unrecognized_keys') return possibleKeys(keysOf(issue.inst).filter((key) => !hiddenKeys.includes(key)));
  const expected = expectation(issue);
  const key = issue.path?.at(-1);
  return expected !== undefined && key !== undefined && isMissing(issue) ? `missing key "${String(key)}": ${expected}` : expected;
}

function isMissing({ code, input, discriminator }: RawIssue): boolean {
  if (code !== 'invalid_union' || typeof discriminator !== 'string') return input === undefined;
  return (input as Record<string, unknown>)[discriminator] === undefined;
}

function possibleKeys(keys: readonly string[]): string {
  return keys.length > 0 ? `; the keys are ${keys.join(', ')}` : '; no key is possible here';
}

function keysOf(schema: unknown): string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape);
  if (schema instanceof z.ZodRecord) return [...(schema.keyType._zod.values ?? [])].map(String);
  return [];
}

/** What is expected instead; undefined where the schema library says it as well. */
function expectation(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return `expects ${TYPES[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return oneOf(issue.values);
    case 'invalid_format':
      return FORMATS[issue.format] && `expects ${FORMATS[issue.format]}`;
    case 'too_big':
      return `is too ${LARGE[issue.origin] ?? 'large'}: ${bound(issue.inclusive === false ? 'less than' : 'at most', issue.maximum, issue.origin)}`;
    case 'too_small':
      return `is too ${SMALL[issue.origin] ?? 'small'}: ${bound(issue.inclusive === false ? 'more than' : 'at least', issue.minimum, issue.origin)}`;
    case 'invalid_union':
      return issue.discriminator === undefined ? anyForm(issue.errors) : oneOf(issue.options as z.core.util.Primitive[]);
    default:
      return undefined;
  }
}

function oneOf(values: readonly z.core.util.Primitive[]): string {
  return `expects ${values.length > 1 ? 'one of ' : ''}${values.map((value) => JSON.stringify(value)).join(', ')}`;
}

function bound(words: string, limit: number | bigint, origin: string): string {
  const unit = UNITS[origin];
  return `${words} ${limit}${unit ? ` ${unit}${Number(limit) === 1 ? '' : 's'}` : ''}`;
}

/** The first problem of each form that the value might have had. */
function anyForm(forms: readonly z.core.$ZodIssue[][]): string {
  const problems = forms.flatMap((issues) => issues.slice(0, 1)).flatMap((issue) => toIssues(issue).slice(0, 1));
  return [...new Set(problems.map(({ path, message }) => (path ? `${path} ${message}` : message)))].join(', or ');
}

const TYPES: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'an array',
  nonoptional: 'any JSON value',
};
const FORMATS: Record<string, string> = {
  guid: 'a UUID',
  uuid: 'a UUID',
  email: 'an e-mail address',
  url: 'an absolute URL',
  datetime: 'a date and time in UTC such as 2026-01-15T09:30:00Z',
};
const LARGE: Record<string, string> = { string: 'long', array: 'long' };
const SMALL: Record<string, string> = { string: 'short', array: 'short' };
const UNITS: Record<string, string> = { string: 'character', array: 'item' };

function toIssues(issue: z.core.$ZodIssue, undecided?: Undecided): Issue[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ path: joined([...issue.path, key]), message: `unknown key "${key}"${issue.message}` }));
  const form = issue.code === 'invalid_union' && issue.discriminator === undefined ? meantForm(issue.errors) : undefined;
  if (form) return form.flatMap((inner) => toIssues({ ...inner, path: [...issue.path, ...inner.path] }));
  const raw = undecided?.get(issue.path);
  return [{ path: joined(issue.path), message: issue.message }, ...(raw ? sharedIssues(raw) : [])];
}

/** Where the value is of the kind that one form alone takes, that form was meant: its problems are the problems. */
function meantForm(forms: readonly z.core.$ZodIssue[][]): z.core.$ZodIssue[] | undefined {
  const [meant, another] = forms.filter((issues) => !issues.some(isOfAnotherKind));
  return another ? undefined : meant;
}

function isOfAnotherKind({ path, code, ...issue }: z.core.$ZodIssue): boolean {
  if (path.length > 0) return false;
  if (code === 'invalid_union') return (issue as { errors: z.core.$ZodIssue[][] }).errors.every((form) => form.some(isOfAnotherKind));
  return code === 'invalid_type' || code === 'invalid_value';
}

/** What is wrong whichever option of the union is meant. */
function sharedIssues({ inst, input, path, discriminator }: RawIssue): Issue[] {
  if (!(inst instanceof z.ZodDiscriminatedUnion)) return [];
  const options = inst.options as z.ZodType[];
  const keys = [...new Set(options.flatMap(keysOf))];
  const [first = [], ...others] = options.map((option) => {
    const parsed = parseOrExplain(option, input);
    return parsed.ok ? [] : parsed.issues.filter((issue) => issue.path !== discriminator);
  });
  const base = path!.slice(0, -1);
  return first
    .filter((issue) => others.every((issues) => issues.some((other) => isSame(issue, other))))
    .map((issue) => ({
      path: joined([...base, issue.path]),
      message: isUnknownKey(issue) ? headOf(issue) + possibleKeys(keys) : issue.message,
    }));
}

function isSame(issue: Issue, other: Issue): boolean {
  return issue.path === other.path && headOf(issue) === headOf(other);
}

/** The options differ in the keys that they take. */
function headOf({ path, message }: Issue): string {
  return isUnknownKey({ path, message }) ? `unknown key "${path}"` : message;
}

/** Of the value itself, not of one inside. */
function isUnknownKey({ path, message }: Issue): boolean {
  return message.startsWith(`unknown key "${path}";`);
}

function joined(path: readonly PropertyKey[]): string {
  return path.map(String).join('.');
}
