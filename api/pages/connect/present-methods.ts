import { asksConsent } from '../../../commands/connections/create-oauth-app.ts';
import type { Offer } from '../../../commands/connections/offer-methods.ts';
import { type AuthField, authFields } from './auth-fields.ts';
import { fieldName, type Problems } from './read-credentials.ts';

/** A connection method on a page. */
export interface ShownMethod {
  id: string;
  key: string;
  title: string;
  description: string;
  kind: 'form' | 'consent' | 'unavailable';
  fields: ShownField[];
  notice: string | undefined;
}

interface ShownField extends Pick<AuthField, 'label' | 'hint' | 'control' | 'required'> {
  id: string;
  name: string;
  options: { label: string; value: string; isChosen: boolean }[];
  typed: string;
  problem: string | undefined;
}

/** A submitted form that was not accepted. */
export interface Attempt {
  methodKey: string;
  form: URLSearchParams;
  problems: Problems;
}

/** Prepares connection methods. After a failed attempt, fields keep typed values but no secrets. */
export function presentMethods(offers: readonly Offer[], attempt?: Attempt): ShownMethod[] {
  return offers.map(({ method, isReady }, index) => {
    const tried = attempt?.methodKey === method.key ? attempt : undefined;
    const id = `method-${index}`;
    const fields = authFields(method).map((field, number) => presentField(field, `${id}-${number}`, tried));
    const problems = Object.entries(tried?.problems ?? {}).filter(([name]) => !fields.some((field) => field.name === fieldName(name)));
    return {
      id,
      key: method.key,
      title: method.displayName,
      description: method.description,
      kind: isReady ? (asksConsent(method) ? 'consent' : 'form') : 'unavailable',
      fields,
      notice: tried && (problems.map(([, message]) => message).join('; ') || 'Not connected yet. Check the marked fields.'),
    };
  });
}

function presentField({ name, options, defaultValue, ...field }: AuthField, id: string, attempt: Attempt | undefined): ShownField {
  const typed = attempt ? (attempt.form.get(fieldName(name)) ?? '') : defaultValue === undefined ? '' : textOf(defaultValue);
  return {
    ...field,
    id,
    name: fieldName(name),
    options: options.map(({ label, value }) => ({ label, value: String(value), isChosen: String(value) === typed })),
    typed: field.control === 'password' ? '' : typed,
    problem: attempt?.problems[name],
  };
}

function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
