import type { z } from 'zod';
import { type ErrorCode, GatewayError } from '../../../domain/errors.ts';
import { parseOrExplain } from '../../../integrations/parse-or-explain.ts';
import type { AppPage, Done } from './screen.ts';

/** A field of a form. Its name is the key of the value in the schema. */
export interface Field {
  name: string;
  label: string;
  kind: 'text' | 'email' | 'password' | 'textarea' | 'number' | 'date' | 'select' | 'radios' | 'checks' | 'check';
  /** The choices of select, radios and checks. */
  options?: readonly { value: string; label: string; hint?: string }[];
  hint?: string;
  isOptional?: boolean;
  maxLength?: number;
  autocomplete?: string;
  /** The value in a new form. */
  value?: string | readonly string[];
  /** Whether a typed value is never shown again. This is always so for passwords. */
  isSecret?: boolean;
  /**
   * Whether the field is in "More", which is open if one of its fields has a problem or a typed
   * value.
   */
  isMore?: boolean;
}

/** The content of a form page, such as `New workspace` with the button `Create workspace`. */
export interface FormSpec {
  /** The h1. */
  title: string;
  fields: readonly Field[];
  button: string;
  intro?: string;
  /** A second button, which sends the form to another path below /app. */
  otherButton?: { label: string; action: string } | undefined;
  /** Path, below /app, of the link "Cancel". */
  cancel?: string | undefined;
  /** Default: `layout/form-page`. Other templates include `layout/form` and show more. */
  template?: string;
  data?: object;
  hidden?: Readonly<Record<string, string>>;
  /** Id of the form element, for fields outside of it and for scripts. */
  id?: string;
  /** The user name for password managers, if the form sets a password. */
  username?: string;
  /** The field to blame for an error of the command. `problem` is a predicate: `is missing`. */
  blames?: Partial<Record<ErrorCode, { field: string; problem: string }>>;
}

/** Name of the hidden fields that list the secret fields of a form (`layout/field.eta`). */
export const SECRET_FIELD = 'secret-field';

/** The problems of a form, by the name of the field, as predicates: `is missing`. */
export type Problems = Record<string, string>;

/** Why a form is shown again. */
export interface Refusal {
  status: number;
  /** The sentence of the alert after `lead`. */
  sentence?: string | undefined;
  problems?: Problems;
  /** The first sentence of the alert. Default: "Nothing was saved." */
  lead?: string | undefined;
}

/** The page of a form. `typed` is a posted form whose values are shown again, except secrets. */
export function formPage(spec: FormSpec, typed?: URLSearchParams, refusal?: Refusal): AppPage {
  const form = formView(spec, typed, refusal);
  return {
    status: refusal?.status ?? 200,
    title: spec.title,
    template: spec.template ?? 'layout/form-page',
    data: { ...spec.data, title: spec.title, intro: spec.intro, form },
  };
}

/** The data of the template `layout/form`. */
export function formView(
  { fields, button, otherButton, cancel, hidden = {}, id, username }: FormSpec,
  typed?: URLSearchParams,
  refusal?: Refusal,
) {
  const problems = refusal?.problems ?? {};
  const shown = fields.map((field) => {
    const isSecret = field.kind === 'password' || field.isSecret;
    const values = typed && !isSecret ? typed.getAll(field.name) : [field.value ?? []].flat();
    return { ...field, isSecret, values, id: `field-${field.name}`, problem: problems[field.name] };
  });
  const isFilledIn = ({ name, value = [] }: Field) => typed?.getAll(name).some((text) => text !== '' && ![value].flat().includes(text));
  const isMoreOpen = shown.some((field) => field.isMore && (field.problem !== undefined || isFilledIn(field)));
  const listed = shown.filter(({ problem }) => problem !== undefined);
  const alert = refusal && { lead: refusal.lead ?? 'Nothing was saved.', sentence: refusal.sentence, listed };
  return { fields: shown, isMoreOpen, button, otherButton, cancel, alert, id, username, hidden: Object.entries(hidden) };
}

/**
 * Calls `act` with the values of a posted form. Returns the form again if the schema or `act`
 * refuses the values (400, 409, 429, a quota, an error in `blames`).
 */
export async function submitForm<Schema extends z.ZodType>(
  spec: FormSpec,
  schema: Schema,
  form: URLSearchParams,
  act: (values: z.output<Schema>) => Promise<AppPage | Done>,
): Promise<AppPage | Done> {
  const values = valuesOf(spec, form);
  const parsed = parseOrExplain(schema, values);
  if (!parsed.ok) {
    const isGiven = (path: string) => Object.keys(values).some((name) => path === name || path.startsWith(`${name}.`));
    const issues = parsed.issues.map((issue) => (isGiven(issue.path) ? issue : { ...issue, message: 'is missing' }));
    return formPage(spec, form, { status: 400, ...problemsOf(spec, issues) });
  }
  try {
    return await act(parsed.value as z.output<Schema>);
  } catch (error) {
    return formPage(spec, form, refusalOf(spec, error));
  }
}

/** Rethrows an error for which the form is not shown again. */
function refusalOf(spec: FormSpec, error: unknown): Refusal {
  if (!(error instanceof GatewayError)) throw error;
  const blamed = spec.blames?.[error.code];
  if (blamed) return { status: 400, problems: { [blamed.field]: blamed.problem } };
  if (![400, 409, 429].includes(error.status) && error.code !== 'QUOTA_EXCEEDED') throw error;
  const issues = error.details?.issues as { path: string; message: string }[] | undefined;
  return { status: error.status, ...(issues ? problemsOf(spec, issues) : { sentence: error.message }) };
}

function valuesOf({ fields }: FormSpec, form: URLSearchParams): Record<string, unknown> {
  const entries = fields.map(({ name, kind }) => {
    const sent = form.getAll(name);
    if (kind === 'checks') return [name, sent];
    if (kind === 'check') return [name, sent.length > 0];
    const text = kind === 'password' || kind === 'textarea' ? (sent[0] ?? '') : (sent[0] ?? '').trim();
    if (text === '') return [name, undefined];
    return [name, kind === 'number' && /^-?\d+$/.test(text) ? Number(text) : text];
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

const SHOWN_ISSUES = 5;

function placeIn({ name, kind, isSecret }: Field, path: string): string {
  return kind === 'textarea' && !isSecret && path !== name ? `at ${path.slice(name.length + 1)} ` : '';
}

function problemsOf({ fields }: FormSpec, issues: readonly { path: string; message: string }[]): Pick<Refusal, 'problems' | 'sentence'> {
  const problems: Problems = {};
  const others: string[] = [];
  for (const { path, message } of issues) {
    const field = fields.find(({ name }) => path === name || path.startsWith(`${name}.`));
    if (field) problems[field.name] ??= placeIn(field, path) + message;
    else others.push(`${path} ${message}`.trim());
  }
  const more = others.length > SHOWN_ISSUES ? ` And ${others.length - SHOWN_ISSUES} more.` : '';
  return { problems, sentence: others.length > 0 ? `${others.slice(0, SHOWN_ISSUES).join('; ')}.${more}` : undefined };
}
