import { z } from 'zod';
import type { Issue } from '../domain/bound-error.ts';

export type Parsed<Value> = { ok: true; value: Value } | { ok: false; issues: Issue[] };

/**
 * Parses a value, or returns all problems in plain words. `hiddenKeys` are never listed as allowed.
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

/**
 * Unions in which no option matches the discriminator. Keyed by the array `path`: zod uses the same
 * object in the raw and in the final issue.
 */
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

/** Returns a message in plain words. Undefined: zod's own message is used. */
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
    case 'invalid_key':
      return issue.issues[0]?.message;
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

function meantForm(forms: readonly z.core.$ZodIssue[][]): z.core.$ZodIssue[] | undefined {
  const [meant, another] = forms.filter((issues) => !issues.some(isOfAnotherKind));
  return another ? undefined : meant;
}

function isOfAnotherKind({ path, code, ...issue }: z.core.$ZodIssue): boolean {
  if (path.length > 0) return false;
  if (code === 'invalid_union') return (issue as { errors: z.core.$ZodIssue[][] }).errors.every((form) => form.some(isOfAnotherKind));
  return code === 'invalid_type' || code === 'invalid_value';
}

function sharedIssues({ inst, input, path, discriminator }: RawIssue): Issue[] {
  if (!(inst instanceof z.ZodDiscriminatedUnion)) return [];
  const options = inst.options as z.ZodType[];
  const keys = new Set(options.flatMap(keysOf));
  const { known, unknown } = options.every(isStrict) ? divided(input, keys) : { known: input, unknown: [] };
  const [first = [], ...others] = options.map((option) => {
    const parsed = parseOrExplain(option, known);
    return parsed.ok ? [] : parsed.issues.filter((issue) => issue.path !== discriminator);
  });
  const ofOthers = others.map((issues) => new Set(issues.map(identityOf)));
  const shared = first.filter((issue) => ofOthers.every((identities) => identities.has(identityOf(issue))));
  const base = joined(path!.slice(0, -1));
  const possible = possibleKeys([...keys]);
  const pathOf = (inner: string) => (base === '' ? inner : `${base}.${inner}`);
  return [
    ...shared.map((issue) => ({ path: pathOf(issue.path), message: isUnknownKey(issue) ? headOf(issue) + possible : issue.message })),
    ...unknown.map((key) => ({ path: pathOf(key), message: `unknown key "${key}"${possible}` })),
  ];
}

function isStrict(option: z.ZodType): boolean {
  return option instanceof z.ZodObject && option.def.catchall instanceof z.ZodNever;
}

/** There may be very many unknown keys, so these are not checked per option. */
function divided(input: unknown, keys: ReadonlySet<string>): { known: unknown; unknown: string[] } {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return { known: input, unknown: [] };
  const entries = Object.entries(input);
  return {
    known: Object.fromEntries(entries.filter(([key]) => keys.has(key))),
    unknown: entries.map(([key]) => key).filter((key) => !keys.has(key)),
  };
}

function identityOf(issue: Issue): string {
  return `${issue.path}\0${headOf(issue)}`;
}

/** Returns the message without the allowed keys, which differ between options. */
function headOf({ path, message }: Issue): string {
  return isUnknownKey({ path, message }) ? `unknown key "${path}"` : message;
}

function isUnknownKey({ path, message }: Issue): boolean {
  return message.startsWith(`unknown key "${path}";`);
}

function joined(path: readonly PropertyKey[]): string {
  return path.map(String).join('.');
}
