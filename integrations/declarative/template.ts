import { isObject } from '../schema/evaluation.ts';
import { type Condition, holds } from './condition.ts';
import { valueAt } from './value-at.ts';

/** The values that a template can name, as in `{input.title}` and `{body.items}`. */
export type Scope = Readonly<Record<string, unknown>>;

/** A JSON value whose texts may contain names of values in braces. */
export type Template = unknown;

interface EachTemplate {
  each: string;
  as: Template;
  where?: Condition | readonly Condition[];
  /** Sorts the items by the number at this path. */
  by?: string;
}

const NAME = /\{([A-Za-z][\w-]*(?:\.[\w$@*:-]+)*)\}/g;
const WHOLE = new RegExp(`^${NAME.source}$`);

/**
 * Evaluates a template in a scope. A text that is a single name evaluates to the named value. Parts
 * without a value are left out. Undefined if all parts were left out.
 */
export function render(template: Template, scope: Scope): unknown {
  if (typeof template === 'string') return renderText(template, scope);
  if (Array.isArray(template)) {
    const items = template.map((item) => render(item, scope)).filter((item) => item !== undefined);
    return items.length === 0 && template.length > 0 ? undefined : items;
  }
  if (!isObject(template)) return template;
  const operator = operatorOf(template);
  return operator ? OPERATORS[operator]!(template, scope) : renderObject(template, scope);
}

/** The key that turns an object in a template into an operator. */
export function operatorOf(template: Record<string, unknown>): string | undefined {
  const [operator] = Object.keys(template).filter((key) => Object.hasOwn(OPERATORS, key));
  return operator === 'each' && !('as' in template) ? undefined : operator;
}

/** The names in braces in a text. */
export function namesIn(text: string): string[] {
  return [...text.matchAll(NAME)].map(([, name]) => name!);
}

/** Whether a text is a single name in braces. */
export function isName(text: string): boolean {
  return WHOLE.test(text);
}

function renderText(text: string, scope: Scope): unknown {
  const [, whole] = WHOLE.exec(text) ?? [];
  if (whole !== undefined && isKnown(whole, scope)) return named(whole, scope);
  let inserted = 0;
  let missing = 0;
  const filled = text.replace(NAME, (literal, name: string) => {
    if (!isKnown(name, scope)) return literal;
    const value = named(name, scope);
    inserted += 1;
    if (value === undefined || value === null) missing += 1;
    return asText(value);
  });
  return inserted > 0 && inserted === missing ? undefined : filled;
}

/** Whether the scope has a name. Other braces are plain text, as in GraphQL. */
function isKnown(name: string, scope: Scope): boolean {
  return Object.hasOwn(scope, name.split('.')[0]!);
}

function named(name: string, scope: Scope): unknown {
  const [root, ...keys] = name.split('.');
  return valueAt(scope[root!], keys.join('.'));
}

function asText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The key of a template that inserts all keys of an object. */
export const SPREAD = '...';

function renderObject(template: Record<string, unknown>, scope: Scope): unknown {
  const entries = Object.entries(template).flatMap(([key, inner]): [string, unknown][] => {
    const value = render(key === SPREAD && inner === true ? '{rest}' : inner, scope);
    if (key === SPREAD) return isObject(value) ? Object.entries(value) : [];
    return value === undefined ? [] : [[key, value]];
  });
  return entries.length === 0 && Object.keys(template).length > 0 ? undefined : Object.fromEntries(entries);
}

type Operator = (template: Record<string, unknown>, scope: Scope) => unknown;

const OPERATORS: Record<string, Operator> = {
  each(template, scope) {
    const { each, as, where, by } = template as unknown as EachTemplate;
    const found = render(`{${each}}`, scope);
    if (found === undefined) return undefined;
    const conditions = where === undefined ? [] : [where].flat();
    const items = [found].flat();
    if (by !== undefined) items.sort((a, b) => Number(valueAt(a, by)) - Number(valueAt(b, by)));
    return items
      .filter((item) => conditions.every((condition) => holds(condition, { ...scope, item })))
      .map((item) => render(as, { ...scope, item }))
      .filter((item) => item !== undefined);
  },
  $join({ $join, $with: separator = ',' }, scope) {
    const found = render($join, scope);
    const items = found === undefined ? [] : [found].flat();
    return items.length > 0 ? items.map(asText).join(String(separator)) : undefined;
  },
  $list({ $list }, scope) {
    const found = render($list, scope);
    return found === undefined ? undefined : [found].flat();
  },
  $first({ $first }, scope) {
    return ($first as Template[]).map((item) => render(item, scope)).find((item) => item !== undefined && item !== null);
  },
  $concat({ $concat }, scope) {
    return ($concat as Template[]).flatMap((item) => render(item, scope) ?? []);
  },
  $switch({ $switch, $cases: cases, $else: otherwise }, scope) {
    const key = asText(render($switch, scope));
    return render(Object.hasOwn(cases as object, key) ? (cases as Record<string, Template>)[key] : otherwise, scope);
  },
  $if({ $if, $then, $else: otherwise }, scope) {
    return render(holds($if as Condition, scope) ? $then : otherwise, scope);
  },
  $base64({ $base64 }, scope) {
    const found = render($base64, scope);
    return found === undefined ? undefined : Buffer.from(asText(found)).toString('base64');
  },
  $json({ $json }, scope) {
    const found = render($json, scope);
    return found === undefined ? undefined : JSON.stringify(found);
  },
  $number({ $number }, scope) {
    const found = render($number, scope);
    const number = Number(found);
    return found === undefined || Number.isNaN(number) ? undefined : number;
  },
};

/** All operators, with their required and allowed keys. */
export const OPERATOR_KEYS: Record<string, { needs: readonly string[]; takes: readonly string[] }> = {
  each: { needs: ['as'], takes: ['where', 'by'] },
  $join: { needs: [], takes: ['$with'] },
  $list: { needs: [], takes: [] },
  $first: { needs: [], takes: [] },
  $concat: { needs: [], takes: [] },
  $switch: { needs: ['$cases'], takes: ['$else'] },
  $if: { needs: ['$then'], takes: ['$else'] },
  $base64: { needs: [], takes: [] },
  $json: { needs: [], takes: [] },
  $number: { needs: [], takes: [] },
};
